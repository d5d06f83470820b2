// Atomic structures that compilers leave to a library: of 16 bytes, and of WORDS words.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef WORDS
#define WORDS 2
#endif

struct words {
    long at[WORDS];
};

static _Atomic struct words shared;

static void *add(void *arg) {
    struct words old = atomic_load(&shared), new;
#ifdef STORES
    new = old;
    new.at[0]++;
    new.at[WORDS - 1]++;
    atomic_store(&shared, new);
#else
    do {
        new = old;
        new.at[0]++;
        new.at[WORDS - 1]++;
    } while (!atomic_compare_exchange_strong(&shared, &old, new));
#endif
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, add, NULL);
    add(NULL);
    pthread_join(other, NULL);
    struct words sum = shared;
    assert(sum.at[0] == 2 && sum.at[WORDS - 1] == 2); // BUG: assertion
    return 0;
}
