// A wait guarded by `if`: right unless a wait may end without a signal, as POSIX allows.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

#ifdef LOOP
#define CHECK while
#else
#define CHECK if
#endif

static void *waiter(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    CHECK (!ready)
        pthread_cond_wait(&changed, &mutex);
    assert(ready); // BUG: assertion
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}
