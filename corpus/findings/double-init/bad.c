// Two threads initialise the mutex they share.
#include <pthread.h>

static pthread_mutex_t mutex;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *arg) {
    (void)arg;
    pthread_mutex_lock(&guard);
    pthread_mutex_init(&mutex, NULL); // BUG: double-init
    pthread_mutex_unlock(&guard);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&guard);
    pthread_mutex_init(&mutex, NULL); // BUG: double-init
    pthread_mutex_unlock(&guard);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    pthread_mutex_destroy(&mutex);
    return 0;
}
