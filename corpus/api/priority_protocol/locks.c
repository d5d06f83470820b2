// A mutex with a priority ceiling is locked. A thread with the usual scheduling policy may not have the ceiling's priority.
#include <pthread.h>

static pthread_mutex_t mutex;

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
    pthread_mutex_init(&mutex, &attributes);
#ifdef TRIES
    int error = pthread_mutex_trylock(&mutex);
#else
    int error = pthread_mutex_lock(&mutex);
#endif
    if (error == 0)
        pthread_mutex_unlock(&mutex);
    pthread_mutex_destroy(&mutex);
    return 0;
}
