// Memory goes away while a queue is in use whose lock and condition variable lie in a structure that the program has cleared: a
// thread that waits afterwards is known to wait. MAPPED: the queue lies in memory that was mapped as well.
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t more;
    int count, closed;
};

static struct queue in_data;
static struct queue *queue = &in_data;
static int taken;

static void *map(void) {
    void *memory = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(memory != MAP_FAILED);
    return memory;
}

static int take(void) {
    pthread_mutex_lock(&queue->lock);
    while (queue->count == 0 && !queue->closed)
        pthread_cond_wait(&queue->more, &queue->lock);
    int got = queue->count > 0;
    queue->count -= got;
    taken += got;
    pthread_mutex_unlock(&queue->lock);
    return got;
}

static void *work(void *arg) {
    do
        munmap(map(), 4096);
    while (take());
    return arg;
}

int main(void) {
    pthread_t worker;
#ifdef MAPPED
    queue = map();
#endif
    memset(queue, 0, sizeof *queue);
    pthread_mutex_init(&queue->lock, 0);
    pthread_cond_init(&queue->more, 0);
    pthread_create(&worker, 0, work, 0);
    pthread_mutex_lock(&queue->lock);
    queue->count = 1;
    pthread_mutex_unlock(&queue->lock);
    pthread_cond_signal(&queue->more);
    pthread_mutex_lock(&queue->lock);
    queue->closed = 1;
    pthread_mutex_unlock(&queue->lock);
    pthread_cond_broadcast(&queue->more);
    pthread_join(worker, 0);
    assert(taken == 1);
    pthread_cond_destroy(&queue->more);
    pthread_mutex_destroy(&queue->lock);
    return 0;
}
