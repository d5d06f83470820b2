// A loop whose rounds read nothing that others write, and store a value that nobody uses: main has set the wrong flag.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int go, ready, progress;

static void *worker(void *arg) {
    while (atomic_load(&go) != 2)
#ifdef COUNTS
        atomic_fetch_add(&progress, 1); // BUG: livelock
#else
        atomic_store(&progress, 1); // BUG: livelock
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
#ifdef RIGHT
    atomic_store(&go, 2);
#else
    atomic_store(&ready, 2);
#endif
    atomic_load(&progress);
    pthread_join(thread, NULL);
    return 0;
}
