// Main returns while a thread may still be at work.
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
    return 0; // BUG: missing-pthread-exit
}
