// Main asks for the ceiling that another thread changes.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex;

static void *thread(void *arg) {
    int old;
    pthread_mutex_setprioceiling(&mutex, 9, &old);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_mutexattr_t attributes;
    int ceiling;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
    pthread_mutexattr_setprioceiling(&attributes, 7);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&t, NULL, thread, NULL);
    pthread_mutex_getprioceiling(&mutex, &ceiling);
#ifdef ASSUMES
    assert(ceiling == 7); // BUG: assertion
#else
    assert(ceiling == 7 || ceiling == 9);
#endif
    pthread_join(t, NULL);
    pthread_mutex_destroy(&mutex);
    return 0;
}
