// A mutex initialised by a call and never destroyed.
#include <pthread.h>

static pthread_mutex_t mutex;

static void *thread(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_mutex_init(&mutex, NULL); // BUG: mutex-not-destroyed
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return 0;
}
