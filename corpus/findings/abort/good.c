// The thread is started when everything is in place.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int configured;

static void *worker(void *arg) {
    (void)arg;
    if (!atomic_load(&configured))
        abort();
    return NULL;
}

int main(void) {
    pthread_t thread;
    atomic_store(&configured, 1);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    return 0;
}
