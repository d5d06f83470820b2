// A thread gives up if it comes first.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int configured;

static void *worker(void *arg) {
    (void)arg;
    if (!atomic_load(&configured))
        abort(); // BUG: abort
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    atomic_store(&configured, 1);
    pthread_join(thread, NULL);
    return 0;
}
