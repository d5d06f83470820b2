// The same, looked at after the join.
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
    pthread_join(thread, NULL);
    return atomic_load(&done) ? 0 : 3;
}
