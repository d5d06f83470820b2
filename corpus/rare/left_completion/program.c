// CALLERS threads have a job done by a helper each, and wait for its end with a semaphore that lies on their stack.
// A caller whose job is marked as done already does not wait, and returns: its helper, which marks first and posts
// then, posts a semaphore that is no longer there. Only the caller created last looks at the mark.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "../noise.h"

struct job {
    atomic_int done;
    sem_t end;
};

static _Atomic(struct job *) jobs[CALLERS];

static void *help(void *number) {
    struct job *job = atomic_load(&jobs[(long)number]);
    if (job) {
        atomic_store(&job->done, 1);
        sem_post(&job->end); // BUG: stack-use-after-return data-race
    }
    make_noise();
    return NULL;
}

static void call(long mine) {
    struct job job;
    atomic_init(&job.done, 0);
    sem_init(&job.end, 0, 0);
    atomic_store(&jobs[mine], &job);
    pthread_t helper;
    pthread_create(&helper, NULL, help, (void *)mine);
    pthread_detach(helper);
    for (int i = 0; i < LATER; i++)
        make_noise();
#ifdef CORRECT
    sem_wait(&job.end);
#else
    if (mine < CALLERS - 1 || !atomic_load(&job.done))
        sem_wait(&job.end);
#endif
} // BUG: data-race

static void *start(void *number) {
    call((long)number);
    make_noise();
    return NULL;
}

int main(void) {
    pthread_t callers[CALLERS];
    for (long i = 0; i < CALLERS; i++)
        pthread_create(&callers[i], NULL, start, (void *)i);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(callers[i], NULL);
    pthread_exit(NULL);
}
