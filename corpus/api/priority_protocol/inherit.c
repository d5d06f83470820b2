// A mutex whose owner inherits priorities excludes others like any mutex.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex;
static int count;

static void *thread(void *arg) {
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_mutexattr_t attributes;
    int protocol;
    pthread_mutexattr_init(&attributes);
    assert(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
    assert(pthread_mutexattr_getprotocol(&attributes, &protocol) == 0 && protocol == PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&t, NULL, thread, NULL);
    thread(NULL);
    pthread_join(t, NULL);
    assert(count == 2);
    pthread_mutex_destroy(&mutex);
    return 0;
}
