// A mutex with a priority ceiling, which is given, asked for and changed.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex, plain = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_mutexattr_t attributes;
    int ceiling;
    pthread_mutexattr_init(&attributes);
    assert(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT) == 0);
    assert(pthread_mutexattr_setprioceiling(&attributes, 7) == 0);
    assert(pthread_mutex_init(&mutex, &attributes) == 0);
    assert(pthread_mutex_getprioceiling(&mutex, &ceiling) == 0 && ceiling == 7);
    assert(pthread_mutex_setprioceiling(&mutex, 9, &ceiling) == 0 && ceiling == 7);
    assert(pthread_mutex_getprioceiling(&mutex, &ceiling) == 0 && ceiling == 9);
    assert(pthread_mutex_setprioceiling(&mutex, 100, &ceiling) == EINVAL);
    assert(pthread_mutex_getprioceiling(&plain, &ceiling) == EINVAL);
    assert(pthread_mutex_setprioceiling(&plain, 9, &ceiling) == EINVAL);
    assert(pthread_mutex_destroy(&mutex) == 0);
    return 0;
}
