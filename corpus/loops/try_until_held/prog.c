// A thread tries the mutex until another thread holds it.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *arg) {
    pthread_mutex_lock(&mutex);
#ifdef GIVES_BACK
    pthread_mutex_unlock(&mutex);
#endif
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    while (pthread_mutex_trylock(&mutex) == 0) // BUG: livelock
        pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}
