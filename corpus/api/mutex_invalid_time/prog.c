/* A time that is none: who does not have to wait gets the mutex all the same, who has to is told. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const struct timespec never = {0, 1000000000};

static void *holds(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    assert(pthread_mutex_timedlock(&mutex, &never) == 0);
    pthread_mutex_unlock(&mutex);
    pthread_create(&thread, 0, holds, 0);
    int result = pthread_mutex_timedlock(&mutex, &never);
    assert(result == 0 || result == EINVAL);
#ifdef ALWAYS
    assert(result == 0); // BUG: assertion
#endif
    if (result == 0)
        pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
}
