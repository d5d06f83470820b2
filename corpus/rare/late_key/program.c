// A consumer looks for work and waits for a change of a counter (a futex) if there is none. It reads the counter
// after it has looked, so work that is announced between the look and the reading of the counter wakes nobody.
// PRODUCERS announce one job each; only if it is the last job that is missed does the consumer wait for ever.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../noise.h"

static atomic_int jobs, changes;

static void *produce(void *unused) {
    make_noise();
    atomic_fetch_add(&jobs, 1);
    atomic_fetch_add(&changes, 1);
    syscall(SYS_futex, &changes, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    make_noise();
    return unused;
}

static void *consume(void *unused) {
    make_noise();
    for (int done = 0; done < PRODUCERS;) {
#ifdef CORRECT
        int key = atomic_load(&changes);
        if (atomic_load(&jobs) > done)
            done++;
        else
            syscall(SYS_futex, &changes, FUTEX_WAIT_PRIVATE, key, NULL, NULL, 0);
#else
        if (atomic_load(&jobs) > done)
            done++;
        else
            syscall(SYS_futex, &changes, FUTEX_WAIT_PRIVATE, atomic_load(&changes), NULL, NULL, 0); // BUG: deadlock
#endif
    }
    make_noise();
    return unused;
}

int main(void) {
    pthread_t producers[PRODUCERS], consumer;
    pthread_create(&consumer, NULL, consume, NULL);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_create(&producers[i], NULL, produce, NULL);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(producers[i], NULL);
    pthread_join(consumer, NULL);
    return 0;
}
