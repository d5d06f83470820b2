// Two statistics that are counted without synchronisation. Suppressions name the functions whose races are known; the
// others stay findings.
#include <pthread.h>
#include <stddef.h>

static int hits, misses;

static void count_hit(void) {
    hits++; // BUG: data-race(hits)
}

static void count_miss(void) {
    misses++; // BUG: data-race(misses)
}

static void *thread(void *arg) {
    count_hit();
    count_miss();
    return arg;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
