// A thread ends the memory of a barrier as soon as its own wait has returned. The other thread of the round may not have
// left the barrier yet: destroying the barrier waits for that, the memory does not.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_barrier_t *barrier;
static atomic_int returned;

static void end(void) {
#ifdef DESTROYED
    pthread_barrier_destroy(barrier);
#endif
    free(barrier);
}

static void *meet(void *unused) {
    int serial = pthread_barrier_wait(barrier); // BUG: heap-use-after-free
    (void)serial;
#if defined BY_SERIAL
    if (serial == PTHREAD_BARRIER_SERIAL_THREAD)
        end();
#elif defined BY_FIRST
    if (++returned == 1)
        end();
#elif defined BY_LAST
    if (++returned == 2)
        end();
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    barrier = malloc(sizeof *barrier);
    pthread_barrier_init(barrier, NULL, 2);
    pthread_create(&thread, NULL, meet, NULL);
    meet(NULL);
    pthread_join(thread, NULL);
#ifdef BY_JOINING
    end();
#endif
}
