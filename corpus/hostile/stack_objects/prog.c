// A local variable with a mutex and a condition variable must outlive their last use by the thread that is waited for.
#include <pthread.h>

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
    pthread_cond_signal(&job->finished); // BUG: data-race
#else
    pthread_cond_signal(&job->finished);
    pthread_mutex_unlock(&job->mutex);
#endif
    return NULL;
}

static void do_job(void) {
    struct job job = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    pthread_t thread;
    pthread_create(&thread, NULL, work, &job);
    pthread_detach(thread);
    pthread_mutex_lock(&job.mutex);
    while (!job.is_finished)
        pthread_cond_wait(&job.finished, &job.mutex);
    pthread_mutex_unlock(&job.mutex);
} // BUG: data-race

int main(void) {
    do_job();
    do_job();
    pthread_exit(NULL);
}
