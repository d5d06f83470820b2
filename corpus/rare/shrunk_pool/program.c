// A pool of WORKERS threads takes jobs by a semaphore. A worker that finds more than one worker, and no job, ends.
// It looks how many there are and lowers the number in two steps: the last two can both find two and both end, and
// the job that comes later is done by nobody.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "../noise.h"

static sem_t jobs, done;
static atomic_int workers = WORKERS;

// Whether there is one worker less now.
static int is_left_over(void) {
    int count = atomic_load(&workers);
#ifdef CORRECT
    while (count > 1)
        if (atomic_compare_exchange_strong(&workers, &count, count - 1))
            return 1;
    return 0;
#else
    if (count > 1)
        atomic_fetch_sub(&workers, 1);
    return count > 1;
#endif
}

static void *work(void *unused) {
    make_noise();
    while (sem_trywait(&jobs) != 0) {
        if (is_left_over())
            return unused;
        sem_wait(&jobs);
        break;
    }
    sem_post(&done);
    make_noise();
    return unused;
}

static void *send(void *unused) {
    make_noise();
    sem_post(&jobs);
    sem_wait(&done); // BUG: deadlock
    sem_post(&jobs);
    make_noise();
    return unused;
}

int main(void) {
    pthread_t threads[WORKERS], sender;
    sem_init(&jobs, 0, 0);
    sem_init(&done, 0, 0);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    pthread_create(&sender, NULL, send, NULL);
    pthread_join(sender, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
