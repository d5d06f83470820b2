// The mutex is not robust: main waits for ever if the thread that dies with it comes first.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *dies(void *arg) {
    pthread_mutex_lock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, dies, NULL);
    pthread_mutex_lock(&mutex); // BUG: deadlock
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}
