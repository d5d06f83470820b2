// Variants of figure 5.1 of the Inspect dissertation (table 5.1: fdrd2, fdrd4): PAIRS times its two threads, each with
// TAIL more critical sections at its end. Whether y is written under different locks is decided early, by whether x is
// read before it is incremented; the many orders of the tails say nothing about it.
// FIXED=1 writes y under f2 in both threads.
#include <pthread.h>

#ifndef PAIRS
#define PAIRS 1
#endif
#ifndef TAIL
#define TAIL 2
#endif
#ifndef FIXED
#define FIXED 0
#endif

static pthread_mutex_t f1 = PTHREAD_MUTEX_INITIALIZER, f2 = PTHREAD_MUTEX_INITIALIZER;
static int x, y, z;

static void tail(void) {
    for (int i = 0; i < TAIL; i++) {
        pthread_mutex_lock(&f1);
        z++;
        pthread_mutex_unlock(&f1);
    }
}

static void *t1(void *arg) {
    (void)arg;
    pthread_mutex_lock(&f1);
    x++;
    pthread_mutex_unlock(&f1);
    pthread_mutex_lock(&f2);
    y++; // BUG: data-race
    pthread_mutex_unlock(&f2);
    pthread_mutex_lock(&f1);
    z++;
    pthread_mutex_unlock(&f1);
    tail();
    return NULL;
}

static void *t2(void *arg) {
    (void)arg;
    pthread_mutex_lock(&f1);
    pthread_mutex_lock(&f2);
    z++;
    int c = x;
    pthread_mutex_unlock(&f2);
    pthread_mutex_unlock(&f1);
    pthread_mutex_lock(&f1);
    if (c == 0) {
        if (FIXED)
            pthread_mutex_lock(&f2);
        y++; // BUG: data-race
        if (FIXED)
            pthread_mutex_unlock(&f2);
    }
    pthread_mutex_unlock(&f1);
    tail();
    return NULL;
}

int main(void) {
    pthread_t threads[2 * PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        pthread_create(&threads[2 * i], NULL, t1, NULL);
        pthread_create(&threads[2 * i + 1], NULL, t2, NULL);
    }
    for (int i = 0; i < 2 * PAIRS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
