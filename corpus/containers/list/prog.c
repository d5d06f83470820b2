// A linked list in both directions behind a read-write lock. One thread removes an element, the other one walks the list.
// WRONG == 1: the walk begins before it has the lock; WRONG == 2: the element is freed while a reader may stand on it,
// as the walk gives the lock back between two elements.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next, *before;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct node head = {0, &head, &head};

static void append(int value) {
    struct node *node = malloc(sizeof *node);
    pthread_rwlock_wrlock(&lock);
    *node = (struct node){value, &head, head.before};
    head.before->next = node;
    head.before = node;
    pthread_rwlock_unlock(&lock);
}

static void remove_first(void) {
    pthread_rwlock_wrlock(&lock);
    struct node *node = head.next;
    head.next = node->next; // BUG: data-race(first)
    node->next->before = &head;
    pthread_rwlock_unlock(&lock);
    free(node); // BUG: heap-use-after-free(step) data-race(step)
}

static int sum(void) {
    int total = 0;
#if WRONG == 1
    struct node *node = head.next; // BUG: data-race(first)
    pthread_rwlock_rdlock(&lock);
#else
    pthread_rwlock_rdlock(&lock);
    struct node *node = head.next;
#endif
    for (; node != &head; node = node->next) { // BUG: heap-use-after-free(step) data-race(step)
        total += node->value; // BUG: heap-use-after-free(step) data-race(step)
#if WRONG == 2
        pthread_rwlock_unlock(&lock);
        pthread_rwlock_rdlock(&lock);
#endif
    }
    pthread_rwlock_unlock(&lock);
    return total;
}

static void *removes(void *arg) {
    remove_first();
    append(4);
    return arg;
}

static void *walks(void *arg) {
    int total = sum();
    assert(total == 3 || total == 2 || total == 6); // BUG: assertion
    return arg;
}

int main(void) {
    pthread_t threads[2];
    append(1);
    append(2);
    pthread_create(&threads[0], 0, removes, 0);
    pthread_create(&threads[1], 0, walks, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(sum() == 6);
    return 0;
}
