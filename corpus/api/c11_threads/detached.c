// A detached thread of C11 posts to main, and may end before main or after it.
#include <assert.h>
#include <threads.h>

static mtx_t mutex;
static cnd_t cond;
static int done;

static int posts(void *arg) {
    mtx_lock(&mutex);
    done = 1;
    cnd_signal(&cond);
    mtx_unlock(&mutex);
    return arg != 0;
}

int main(void) {
    thrd_t thread;
    mtx_init(&mutex, mtx_plain); // BUG: mutex-not-destroyed
    cnd_init(&cond); // BUG: cond-not-destroyed
    thrd_create(&thread, posts, 0);
    assert(thrd_detach(thread) == thrd_success);
    mtx_lock(&mutex);
    while (!done) cnd_wait(&cond, &mutex);
    mtx_unlock(&mutex);
    thrd_exit(0);
}
