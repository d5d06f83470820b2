// A mutex used to hand over: locked by one thread, unlocked by the other.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *arg) {
    (void)arg;
    pthread_mutex_unlock(&mutex); // BUG: unlock-not-owner
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&mutex);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return 0;
}
