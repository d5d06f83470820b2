// pthread_exit leads out of an initialiser: the once object is as at first, and another thread runs it again.
// With HOLDS it leaves a mutex behind that nobody unlocks.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int attempts, value;

static void initialise(void) {
#ifdef HOLDS
    pthread_mutex_lock(&mutex); // BUG: deadlock
#endif
    if (attempts++ == 0)
        pthread_exit(NULL);
    value = 7;
}

static void *thread(void *arg) {
    (void)arg;
    pthread_once(&once, initialise);
    assert(value == 7);
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    (void)mutex;
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(attempts == 2);
    return 0;
}
