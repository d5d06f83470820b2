// Workers take jobs out of a pipe until they are told to stop. One word of that is not enough for two workers.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { WORKERS = 2 };
static int jobs[2];
static atomic_int done;

static void *worker(void *arg) {
    char job;
    while (read(jobs[0], &job, 1) == 1 && job != 'q') // BUG: deadlock
        done++;
    return arg;
}

int main(void) {
    pthread_t workers[WORKERS];
    assert(pipe(jobs) == 0);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, worker, NULL);
    write(jobs[1], "j", 1);
#if defined CLOSED
    close(jobs[1]);
#elif defined ENOUGH
    write(jobs[1], "qq", WORKERS);
#else
    write(jobs[1], "q", 1);
#endif
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    assert(done == 1);
    return 0;
}
