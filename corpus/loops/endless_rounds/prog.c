// Each round changes what others read, and no round is the last one: nobody sets `end`.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int up, end;

static void *worker(void *arg) {
    while (!atomic_load(&end)) {
        atomic_store(&up, 1);
        atomic_store(&up, 0);
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
#ifdef ENDS
    atomic_store(&end, 1);
#endif
    int seen = atomic_load(&up);
    pthread_join(thread, NULL);
    return seen > 1;
}
