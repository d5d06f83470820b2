// A thread-specific key that one thread uses and another one deletes.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_key_t key;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int destroyed;

static void destroy(void *value) {
    (void)value;
    destroyed = 1;
}

static void *thread(void *argument) {
#if defined USES
    pthread_setspecific(key, NULL); // BUG: data-race
#elif defined ENDS
    pthread_setspecific(key, &key);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
#endif
    return argument;
}

int main(void) {
    pthread_t other;
    pthread_key_create(&key, destroy);
    pthread_mutex_lock(&mutex);
    pthread_create(&other, NULL, thread, NULL);
#if defined LATE
    pthread_mutex_unlock(&mutex);
    pthread_join(other, NULL);
    pthread_key_delete(key);
#else
#ifdef ENDS
    // The value was set before, so it is the end of the thread that may come too late for its destructor.
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
#endif
    pthread_key_delete(key); // BUG: data-race
    pthread_mutex_unlock(&mutex);
    pthread_join(other, NULL);
#endif
    return 0;
}
