// Mozilla, bug 61369 (nsThread): a new thread uses its own handle, which its creator stores when the creation has returned:
// the new thread may be faster. Fixed by waiting until the handle is there. WRONG == 1: as it was.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct handle {
    pthread_t thread;
    int state;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stored = PTHREAD_COND_INITIALIZER;
static struct handle *own;

static void *start(void *arg) {
#if WRONG
    own->state = 1; // BUG: crash data-race
#else
    pthread_mutex_lock(&lock);
    while (!own) pthread_cond_wait(&stored, &lock);
    own->state = 1;
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

int main(void) {
    struct handle *handle = calloc(1, sizeof *handle);
    pthread_create(&handle->thread, 0, start, 0);
#if WRONG
    own = handle; // BUG: data-race
#else
    pthread_mutex_lock(&lock);
    own = handle;
    pthread_cond_signal(&stored);
    pthread_mutex_unlock(&lock);
#endif
    pthread_join(handle->thread, 0);
    assert(own->state == 1);
    return 0;
}
