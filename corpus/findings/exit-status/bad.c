// The program ends with a failure if the worker is slow.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;

static void *worker(void *arg) {
    (void)arg;
    atomic_store(&done, 1);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    int seen = atomic_load(&done);
    pthread_join(thread, NULL);
    return seen ? 0 : 3;
}
