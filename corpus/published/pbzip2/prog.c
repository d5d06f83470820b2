// pbzip2 0.9.4: main frees the queue of blocks when all blocks are written; a consumer that has handed over the last block still
// unlocks the queue's mutex. Fixed by joining the consumers first. WRONG == 1: as it was.
#include <pthread.h>
#include <stdlib.h>

struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t done;
    int left;
};

static void *consumer(void *arg) {
    struct queue *queue = arg;
    pthread_mutex_lock(&queue->mutex);
    queue->left--;
    pthread_mutex_unlock(&queue->mutex);
    pthread_cond_signal(&queue->done); // BUG: heap-use-after-free data-race
    return 0;
}

int main(void) {
    pthread_t thread;
    struct queue *queue = malloc(sizeof *queue);
    pthread_mutex_init(&queue->mutex, 0);
    pthread_cond_init(&queue->done, 0);
    queue->left = 1;
    pthread_create(&thread, 0, consumer, queue);
    pthread_mutex_lock(&queue->mutex);
    while (queue->left > 0) pthread_cond_wait(&queue->done, &queue->mutex);
    pthread_mutex_unlock(&queue->mutex);
#if !WRONG
    pthread_join(thread, 0);
#endif
    pthread_mutex_destroy(&queue->mutex);
    pthread_cond_destroy(&queue->done); // BUG: data-race
    free(queue); // BUG: data-race
#if WRONG
    pthread_join(thread, 0);
#endif
    return 0;
}
