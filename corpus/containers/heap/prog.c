// A binary heap behind a read-write lock. Two threads insert, one of them takes the least. WRONG == 1: the array grows
// before the lock is taken.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int *items;
static int used, room;

static void grow(void) {
    if (used == room) { // BUG: data-race heap-use-after-free heap-overflow
        room += 2;      // BUG: data-race
        items = realloc(items, (size_t)room * sizeof *items); // BUG: data-race heap-use-after-free double-free
    }
}

static void swap(int a, int b) {
    int item = items[a];
    items[a] = items[b];
    items[b] = item;
}

static void insert(int item) {
#if WRONG == 1
    grow();
#endif
    pthread_rwlock_wrlock(&lock);
#if WRONG != 1
    grow();
#endif
    int at = used++; // BUG: data-race
    items[at] = item;
    for (; at > 0 && items[at] < items[(at - 1) / 2]; at = (at - 1) / 2) swap(at, (at - 1) / 2);
    pthread_rwlock_unlock(&lock);
}

static int least(void) {
    pthread_rwlock_rdlock(&lock);
    int item = items[0];
    pthread_rwlock_unlock(&lock);
    return item;
}

static int take(void) {
    pthread_rwlock_wrlock(&lock);
    int item = items[0];
    items[0] = items[--used];
    for (int at = 0, child; (child = 2 * at + 1) < used; at = child) {
        if (child + 1 < used && items[child + 1] < items[child]) child++;
        if (items[at] <= items[child]) break;
        swap(at, child);
    }
    pthread_rwlock_unlock(&lock);
    return item;
}

static void *inserts(void *arg) {
    insert(2);
    assert(least() <= 2);
    return arg;
}

static void *inserts_and_takes(void *arg) {
    insert(1);
    assert(take() == 1);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    insert(4);
    insert(3);
    pthread_create(&threads[0], 0, inserts, 0);
    pthread_create(&threads[1], 0, inserts_and_takes, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(take() == 2 && take() == 3 && take() == 4 && used == 0);
    free(items);
    return 0;
}
