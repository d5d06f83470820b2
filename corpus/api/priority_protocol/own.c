// The owner of a mutex changes its ceiling, which locks the mutex: at one that is not recursive it waits for itself.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex;

int main(void) {
    pthread_mutexattr_t attributes;
    int ceiling;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
#ifdef RECURSIVE
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
#endif
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutex_lock(&mutex);
    pthread_mutex_setprioceiling(&mutex, 9, &ceiling); // BUG: mutex-relock
    assert(ceiling == 1);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_destroy(&mutex);
    return 0;
}
