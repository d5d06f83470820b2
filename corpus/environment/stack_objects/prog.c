// A local variable with a mutex and a condition variable must outlive their last use by the thread that is waited for.
// With ON_HEAP it is a block that is given back.
#include <pthread.h>
#include <stdlib.h>

struct job {
    pthread_mutex_t mutex;
    pthread_cond_t finished;
    int is_finished;
};

static void *work(void *arg) {
    struct job *job = arg;
    pthread_mutex_lock(&job->mutex);
    job->is_finished = 1;
#ifdef LATE
    pthread_mutex_unlock(&job->mutex);
    pthread_cond_signal(&job->finished); // BUG: data-race heap-use-after-free
#else
    pthread_cond_signal(&job->finished);
    pthread_mutex_unlock(&job->mutex);
#endif
    return NULL;
}

static void do_in_thread(struct job *job) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, job);
    pthread_detach(thread);
    pthread_mutex_lock(&job->mutex);
    while (!job->is_finished)
        pthread_cond_wait(&job->finished, &job->mutex);
    pthread_mutex_unlock(&job->mutex);
}

static void do_job(void) {
    struct job fresh = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
#ifdef ON_HEAP
    struct job *job = malloc(sizeof *job);
    *job = fresh;
    do_in_thread(job);
    free(job); // BUG: data-race
#else
    do_in_thread(&fresh);
#endif
} // BUG: data-race

int main(void) {
    do_job();
    do_job();
    pthread_exit(NULL);
}
