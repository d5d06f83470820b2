// WRITERS threads add an entry each to a table, which is made twice as large when it is full, under a lock. A reader
// takes the place of the table without the lock, and reads from it: when the table has been made larger in between,
// it reads what was freed.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../noise.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(atomic_int *) table;
static int used, size = WRITERS - 1;
static atomic_int seen;

static void *add(void *unused) {
    make_noise();
    pthread_mutex_lock(&lock);
    atomic_int *old = atomic_load(&table);
    if (used == size) {
        atomic_int *larger = calloc(2 * size, sizeof *larger);
        for (int i = 0; i < size; i++)
            atomic_init(&larger[i], 1);
        size *= 2;
        atomic_store(&table, larger);
        free(old); // BUG: data-race
        old = larger;
    }
    atomic_store(&old[used++], 1);
    pthread_mutex_unlock(&lock);
    make_noise();
    return unused;
}

static void *read_first(void *unused) {
#ifdef CORRECT
    pthread_mutex_lock(&lock);
#endif
    atomic_int *found = atomic_load(&table);
    atomic_fetch_add(&seen, atomic_load(&found[0])); // BUG: heap-use-after-free data-race
#ifdef CORRECT
    pthread_mutex_unlock(&lock);
#endif
    make_noise();
    return unused;
}

int main(void) {
    pthread_t writers[WRITERS], reader;
    table = calloc(size, sizeof *table);
    pthread_create(&reader, NULL, read_first, NULL);
    for (int i = 0; i < WRITERS; i++)
        pthread_create(&writers[i], NULL, add, NULL);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(writers[i], NULL);
    pthread_join(reader, NULL);
    free(table);
    return 0;
}
