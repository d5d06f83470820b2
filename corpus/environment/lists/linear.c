// A table that is searched by both threads, and to which one of them appends.
#include <pthread.h>
#include <search.h>
#include <stdlib.h>

static int *table;
static size_t count = 2;

static int compare(const void *left, const void *right) { return *(const int *)left - *(const int *)right; }

static void *searcher(void *argument) {
    int key = 2;
    lfind(&key, table, &count, sizeof key, compare); // BUG: data-race
    return argument;
}

int main(void) {
    pthread_t thread;
#ifdef SMALL
    table = malloc(2 * sizeof *table);
#else
    table = malloc(3 * sizeof *table);
#endif
    table[0] = 1;
    table[1] = 2;
    pthread_create(&thread, NULL, searcher, NULL);
#ifdef SMALL
    pthread_join(thread, NULL);
#endif
#ifdef FOUND
    int key = 1;
#else
    int key = 3;
#endif
    lsearch(&key, table, &count, sizeof key, compare); // BUG: data-race BUG: heap-overflow
#ifndef SMALL
    pthread_join(thread, NULL);
#endif
    return 0;
}
