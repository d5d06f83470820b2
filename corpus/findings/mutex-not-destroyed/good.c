// One mutex is destroyed, the other one had nothing to be destroyed: it was initialised statically.
#include <pthread.h>

static pthread_mutex_t mutex, constant = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&constant);
    pthread_mutex_unlock(&constant);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_mutex_init(&mutex, NULL);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    pthread_mutex_destroy(&mutex);
    return 0;
}
