// A hash table of lists behind a read-write lock, with a condition variable for those who wait until it is empty. WRONG == 1:
// the number of entries is changed after the lock is given back; WRONG == 2: the condition variable is destroyed and was
// never initialised.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 2 };

struct entry {
    int key, value;
    struct entry *next;
};

struct table {
    pthread_rwlock_t lock;
    pthread_mutex_t mutex;
    pthread_cond_t empty;
    int count;
    struct entry *buckets[BUCKETS];
};

static struct table *create(void) {
    struct table *table = malloc(sizeof *table);
    memset(table, 0, sizeof *table);
    pthread_rwlock_init(&table->lock, 0);
    pthread_mutex_init(&table->mutex, 0);
#if WRONG != 2
    pthread_cond_init(&table->empty, 0);
#endif
    return table;
}

static void destroy(struct table *table) {
    pthread_rwlock_destroy(&table->lock);
    pthread_mutex_destroy(&table->mutex);
    pthread_cond_destroy(&table->empty); // BUG: cond-uninitialized
    free(table);
}

static struct entry **find(struct table *table, int key) {
    struct entry **at = &table->buckets[key % BUCKETS];
    while (*at && (*at)->key != key) at = &(*at)->next;
    return at;
}

static void put(struct table *table, int key, int value) {
    struct entry *entry = malloc(sizeof *entry);
    pthread_rwlock_wrlock(&table->lock);
    struct entry **at = find(table, key);
    *entry = (struct entry){key, value, *at};
    *at = entry;
#if WRONG != 1
    table->count++;
#endif
    pthread_rwlock_unlock(&table->lock);
#if WRONG == 1
    table->count++; // BUG: data-race
#endif
}

static int get(struct table *table, int key) {
    pthread_rwlock_rdlock(&table->lock);
    struct entry *entry = *find(table, key);
    int value = entry ? entry->value : -1;
    pthread_rwlock_unlock(&table->lock);
    return value;
}

static void drop(struct table *table, int key) {
    pthread_rwlock_wrlock(&table->lock);
    struct entry **at = find(table, key), *entry = *at;
    if (entry) {
        *at = entry->next;
        table->count--; // BUG: data-race
    }
    pthread_rwlock_unlock(&table->lock);
    free(entry);
}

static void *puts_and_drops(void *arg) {
    put(arg, 1, 10);
    drop(arg, 1);
    return arg;
}

static void *puts_and_looks(void *arg) {
    put(arg, 3, 30);
    int value = get(arg, 1);
    assert(value == 10 || value == -1);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    struct table *table = create();
    pthread_create(&threads[0], 0, puts_and_drops, table);
    pthread_create(&threads[1], 0, puts_and_looks, table);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(table->count == 1 && get(table, 3) == 30);
    drop(table, 3);
    destroy(table);
    return 0;
}
