// Mutexes on one futex word, after Ulrich Drepper, "Futexes Are Tricky": number 1 counts lock attempts, number 2 has
// three states (free, held, held with waiters), number 3 is number 2 with an exchange in its loop. KIND chooses one.
// N threads increment a counter under one. Who takes it after a wait has to leave it in the state with waiters
// (TAKEN = 2), since others may still wait; with TAKEN = 1 the next unlock wakes nobody.
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef KIND
#define KIND 3
#endif
#ifndef N
#define N 2
#endif
#ifndef TAKEN
#define TAKEN 2
#endif

typedef struct {
    atomic_int word;
} futex_mutex;

static void wait_while(atomic_int *word, int value) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL); // BUG: deadlock
}

static void wake_one(atomic_int *word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
}

#if KIND == 1

static void futex_lock(futex_mutex *mutex) {
    int before;
    while ((before = atomic_fetch_add(&mutex->word, 1)) != 0)
        wait_while(&mutex->word, before + 1);
}

static void futex_unlock(futex_mutex *mutex) {
    atomic_store(&mutex->word, 0);
    wake_one(&mutex->word);
}

#else

static int exchange(atomic_int *word, int expected, int value) {
    atomic_compare_exchange_strong(word, &expected, value);
    return expected;
}

static void futex_lock(futex_mutex *mutex) {
    int seen = exchange(&mutex->word, 0, 1);
    if (seen == 0)
        return;
#if KIND == 2
    do {
        if (seen == 2 || exchange(&mutex->word, 1, 2) != 0)
            wait_while(&mutex->word, 2);
    } while ((seen = exchange(&mutex->word, 0, TAKEN)) != 0);
#else
    if (seen != 2)
        seen = atomic_exchange(&mutex->word, 2);
    while (seen != 0) {
        wait_while(&mutex->word, 2);
        seen = atomic_exchange(&mutex->word, TAKEN);
    }
#endif
}

static void futex_unlock(futex_mutex *mutex) {
    if (atomic_fetch_sub(&mutex->word, 1) != 1) {
        atomic_store(&mutex->word, 0);
#ifndef FORGETS
        wake_one(&mutex->word);
#endif
    }
}

#endif

static futex_mutex mutex;
static int counter;

static void *thread(void *arg) {
    futex_lock(&mutex);
    counter++;
    futex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(counter == N);
    return 0;
}
