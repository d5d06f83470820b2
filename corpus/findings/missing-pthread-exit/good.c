// Main leaves the rest to the detached thread.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;

static void *worker(void *arg) {
    (void)arg;
    atomic_store(&done, 1);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_detach(t);
    pthread_exit(NULL);
}
