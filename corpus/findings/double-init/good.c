// The same place initialised again after it was destroyed, and in a heap block after the block was freed.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex;

static void use(pthread_mutex_t *m) {
    pthread_mutex_init(m, NULL);
    pthread_mutex_lock(m);
    pthread_mutex_unlock(m);
    pthread_mutex_destroy(m);
}

static void *thread(void *arg) {
    (void)arg;
    for (int i = 0; i < 2; i++) {
        use(&mutex);
        pthread_mutex_t *m = malloc(sizeof *m);
        use(m);
        free(m);
    }
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    use(&mutex);
    return 0;
}
