// A thread ends with eight robust mutexes, which it has locked from the first to the last: they are given back from the
// last to the first, each in a step of its own. Main tries them, from the last on or (FORWARDS) from the first on.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

enum { COUNT = 8 };

static pthread_mutex_t mutexes[COUNT];

static void *thread(void *arg) {
    for (int i = 0; i < COUNT; i++)
        pthread_mutex_lock(&mutexes[i]);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_mutexattr_t attributes;
    int before = EBUSY;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    for (int i = 0; i < COUNT; i++)
        pthread_mutex_init(&mutexes[i], &attributes);
    pthread_create(&t, NULL, thread, NULL);
    for (int i = 0; i < COUNT; i++) {
#ifdef FORWARDS
        pthread_mutex_t *mutex = &mutexes[i];
#else
        pthread_mutex_t *mutex = &mutexes[COUNT - 1 - i];
#endif
        int error = pthread_mutex_trylock(mutex);
        assert(error == 0 || error == EBUSY || error == EOWNERDEAD);
        // Whoever was told that the owner of the mutex before has ended is told so of this one.
        assert(before != EOWNERDEAD || error == EOWNERDEAD); // BUG: assertion
        if (error == EOWNERDEAD)
            pthread_mutex_consistent(mutex);
        if (error != EBUSY)
            pthread_mutex_unlock(mutex);
        before = error;
    }
    pthread_join(t, NULL);
    for (int i = 0; i < COUNT; i++)
        pthread_mutex_destroy(&mutexes[i]);
    return 0;
}
