// pfscan 1.0 (table 2 of the paper about Inspect): workers take paths from a queue. WRONG == 1: the queue's condition variable
// is never initialised; WRONG == 2: main ends without waiting for its workers, and never gives its mutexes back (warnings).
#include <pthread.h>
#include <stdlib.h>

struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t more;
    int paths, closed;
};

static struct queue *queue;
static int matches;

static void *worker(void *arg) {
    pthread_mutex_lock(&queue->mutex);
    while (!queue->closed || queue->paths > 0) {
        if (queue->paths > 0) {
            queue->paths--;
            matches++;
        } else {
            pthread_cond_wait(&queue->more, &queue->mutex); // BUG: cond-uninitialized
        }
    }
    pthread_mutex_unlock(&queue->mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    queue = malloc(sizeof *queue);
    queue->paths = queue->closed = 0;
    pthread_mutex_init(&queue->mutex, 0); // BUG: mutex-not-destroyed
#if WRONG != 1
    pthread_cond_init(&queue->more, 0); // BUG: cond-not-destroyed
#endif
    pthread_create(&thread, 0, worker, 0); // BUG: thread-not-joined
    pthread_mutex_lock(&queue->mutex);
    queue->paths = queue->closed = 1;
    pthread_cond_signal(&queue->more); // BUG: cond-uninitialized
    pthread_mutex_unlock(&queue->mutex);
#if WRONG != 2
    pthread_join(thread, 0);
    pthread_cond_destroy(&queue->more); // BUG: cond-uninitialized
    pthread_mutex_destroy(&queue->mutex);
#endif
    return 0; // BUG: missing-pthread-exit
}
