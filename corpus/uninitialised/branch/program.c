// A job is filled in by main and looked at by a worker. Nothing makes the worker wait: if it takes the lock first, it
// decides by a value that nobody has written yet. The corrected program begins the job as zeros.
#include <pthread.h>
#include <stdlib.h>

struct job {
    int priority;
    int urgent;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *job;

static void *worker(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    if (job->priority > 3) // BUG: uninitialised-use
        job->urgent = 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread;
#ifdef CORRECT
    job = calloc(1, sizeof *job);
#else
    job = malloc(sizeof *job);
#endif
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&lock);
    job->priority = 5;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    free(job);
}
