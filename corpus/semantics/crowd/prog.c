// More threads than an execution has room for at first. Each counts under a mutex of its own; the last two have one
// counter between them, with a mutex (PAIR) or without (RACE).
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 100
#endif

static struct {
    pthread_mutex_t mutex;
    int count;
} counters[N] = {[0 ... N - 1] = {PTHREAD_MUTEX_INITIALIZER, 0}};

static void *count(void *number) {
    int at = (int)(intptr_t)number;
#if defined PAIR || defined RACE
    if (at == N - 1)
        at--;
#endif
#ifndef RACE
    pthread_mutex_lock(&counters[at].mutex);
#endif
    counters[at].count++; // BUG: data-race
#ifndef RACE
    pthread_mutex_unlock(&counters[at].mutex);
#endif
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, count, (void *)(intptr_t)i);
    int sum = 0;
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    for (int i = 0; i < N; i++)
        sum += counters[i].count;
    assert(sum == N);
    return 0;
}
