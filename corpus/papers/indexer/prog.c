// indexer: N threads insert MESSAGES messages each into one hash table with open addressing.
// The program of Flanagan and Godefroid (POPL 2005), in the form of the Inspect paper, section 6: a function guarded by
// a mutex stands in for the compare-and-swap. With -DATOMIC_CAS the compare-and-swap is C11's own.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef N
#define N 12
#endif

enum { SIZE = 128, MESSAGES = 4 };

#ifdef ATOMIC_CAS
static atomic_int table[SIZE];

static bool put_if_empty(int slot, int message) {
    int empty = 0;
    return atomic_compare_exchange_strong(&table[slot], &empty, message);
}
#else
static pthread_mutex_t locks[SIZE] = {[0 ... SIZE - 1] = PTHREAD_MUTEX_INITIALIZER};
static int table[SIZE];

static bool put_if_empty(int slot, int message) {
    bool done = false;
    pthread_mutex_lock(&locks[slot]);
    if (table[slot] == 0) {
        table[slot] = message;
        done = true;
    }
    pthread_mutex_unlock(&locks[slot]);
    return done;
}
#endif

static void *insert(void *arg) {
    int id = (int)(intptr_t)arg;
    for (int i = 1; i <= MESSAGES; i++) {
        int message = i * 11 + id;
        int slot = message * 7 % SIZE;
        while (!put_if_empty(slot, message))
            slot = (slot + 1) % SIZE;
    }
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, insert, (void *)(intptr_t)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
