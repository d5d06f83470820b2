// Two places that both clean up.
#include <pthread.h>

static pthread_mutex_t mutex;

static void *thread(void *arg) {
    (void)arg;
    pthread_mutex_destroy(&mutex); // BUG: double-destroy
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_mutex_init(&mutex, NULL);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    pthread_mutex_destroy(&mutex); // BUG: double-destroy
    return 0;
}
