// A timed wait may expire however far away its time is, and the program is not ready for that.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *arg) {
    (void)arg;
    struct timespec until = {.tv_sec = 1L << 40};
    pthread_mutex_lock(&mutex);
    int result = 0;
    while (!ready && result == 0)
        result = pthread_cond_timedwait(&changed, &mutex, &until);
#ifdef READY_FOR_IT
    assert(result == 0 || result == ETIMEDOUT);
#else
    assert(result == 0); // BUG: assertion
#endif
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
