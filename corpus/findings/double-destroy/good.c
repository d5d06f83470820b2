// Destroyed once by whoever is last; another one is destroyed although it was initialised statically.
#include <pthread.h>

static pthread_mutex_t mutex, constant = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_mutex_init(&mutex, NULL);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    pthread_mutex_destroy(&mutex);
    pthread_mutex_destroy(&constant);
    return 0;
}
