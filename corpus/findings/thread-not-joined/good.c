// One thread is joined, one detached by main, one by itself, one is created detached.
#include <pthread.h>

static void *worker(void *arg) {
    if (arg != NULL)
        pthread_detach(pthread_self());
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_attr_t attributes;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, worker, NULL);
    pthread_detach(t);
    pthread_create(&t, NULL, worker, &t);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attributes, worker, NULL);
    pthread_attr_destroy(&attributes);
    pthread_exit(NULL);
}
