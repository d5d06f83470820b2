// The work queue. A node that was taken may lead to more nodes, so the queue is at its end only when it is closed, empty
// and no taken node is unfinished.
#include "scanner.h"

#include <assert.h>
#include <pthread.h>

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more, less;
    struct node *places[PLACES];
    unsigned first, used;
    unsigned unfinished; // nodes taken and not finished
    bool closed;
} queue;

void queue_open(void) {
    pthread_mutex_init(&queue.lock, NULL);
    pthread_cond_init(&queue.more, NULL);
    pthread_cond_init(&queue.less, NULL);
}

static bool full(void) {
    return queue.used == PLACES;
}

static bool over(void) {
    return queue.closed && queue.used == 0 && queue.unfinished == 0;
}

// Puts a node into a free place; the lock is held.
static void append(struct node *node) {
    assert(!full());
    queue.places[(queue.first + queue.used) % PLACES] = node;
    queue.used++;
    pthread_cond_signal(&queue.more);
}

void queue_put(struct node *node) {
    pthread_mutex_lock(&queue.lock);
    while (full())
        pthread_cond_wait(&queue.less, &queue.lock);
    append(node);
    pthread_mutex_unlock(&queue.lock);
}

// For workers: if they waited for a place, all of them could wait for each other.
bool queue_offer(struct node *node) {
    pthread_mutex_lock(&queue.lock);
    bool place = !full();
    if (place)
        append(node);
    pthread_mutex_unlock(&queue.lock);
    return place;
}

static void wake_all_if_over(void) {
    if (!over())
        return;
    if (BUG == 2)
        pthread_cond_signal(&queue.more);
    else
        pthread_cond_broadcast(&queue.more);
}

void queue_close(void) {
    pthread_mutex_lock(&queue.lock);
    queue.closed = true;
    wake_all_if_over();
    pthread_mutex_unlock(&queue.lock);
}

struct node *queue_next(bool finished) {
    struct node *node = NULL;
    pthread_mutex_lock(&queue.lock);
    if (finished) {
        queue.unfinished--;
        wake_all_if_over();
    }
    while (queue.used == 0 && !over())
        pthread_cond_wait(&queue.more, &queue.lock); // BUG: deadlock
    if (queue.used > 0) {
        bool was_full = full();
        node = queue.places[queue.first];
        queue.first = (queue.first + 1) % PLACES;
        queue.used--;
        queue.unfinished++;
        if (was_full)
            pthread_cond_signal(&queue.less);
    }
    pthread_mutex_unlock(&queue.lock);
    return node;
}

void queue_check_empty(void) {
    assert(over());
    pthread_cond_destroy(&queue.more);
    pthread_cond_destroy(&queue.less);
    pthread_mutex_destroy(&queue.lock);
}
