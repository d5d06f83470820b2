// A wait with a clock: the monotonic one is fine, that of processor time is refused.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t ready;

int main(void) {
    struct timespec soon = {2000000000, 0};
    sem_init(&ready, 0, 1);
    assert(sem_clockwait(&ready, CLOCK_PROCESS_CPUTIME_ID, &soon) == -1 && errno == EINVAL);
    assert(sem_clockwait(&ready, CLOCK_MONOTONIC, &soon) == 0);
    assert(sem_clockwait(&ready, CLOCK_MONOTONIC, &soon) == -1 && errno == ETIMEDOUT);
    return 0;
}
