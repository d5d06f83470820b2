// Thread 1 touches `shared` only if it sees that thread 2 was first, and leaves no trace of that: what it writes is there
// already, and what it has seen is forgotten. Then the state is the same as after the other order, below which thread 2 has
// read `shared` in an execution in which nobody has written to it. A search that ends there has seen each of the two
// accesses in an execution of its own, and none in which both are made.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER, own = PTHREAD_MUTEX_INITIALIZER;
static int first;
static volatile int shared;
static atomic_int after;

static void *writer(void *arg) {
    (void)arg;
    pthread_mutex_lock(&guard);
    int seen = first;
    pthread_mutex_unlock(&guard);
    if (seen) {
#ifdef LOCKED
        pthread_mutex_lock(&own);
        shared = 0;
        pthread_mutex_unlock(&own);
#else
        shared = 0; // BUG: data-race
#endif
    }
    atomic_load(&after);
    return NULL;
}

static void *reader(void *arg) {
    (void)arg;
    pthread_mutex_lock(&guard);
    first = 1;
    pthread_mutex_unlock(&guard);
    pthread_mutex_lock(&own);
    (void)shared;
    pthread_mutex_unlock(&own);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
