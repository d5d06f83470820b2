// A thread compares two entries of a folder by their names, or sorts a list of them; main changes a name, puts another entry
// into the list, or frees one. COMPARE is the function, alphasort unless it is given; where
// the C library has 64 bits for offsets, it is the function whose name ends so.
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#ifndef COMPARE
#define COMPARE alphasort
#endif

static struct dirent *entries[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void) {
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
}

static void unlock(void) {
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
}

static void *compares(void *arg) {
    lock();
#ifdef SORTS
    qsort(entries, 2, sizeof *entries, (int (*)(const void *, const void *))COMPARE); // BUG: data-race
#else
    const struct dirent *left = entries[0], *right = entries[1];
    // The numbers at the end decide for versionsort, the first of their digits for alphasort.
    assert((COMPARE == versionsort) == (COMPARE(&left, &right) < 0)); // BUG: data-race BUG: heap-use-after-free
#endif
    unlock();
    return arg;
}

static struct dirent *entry(const char *name) {
    struct dirent *made = malloc(sizeof *made);
    strcpy(made->d_name, name);
    return made;
}

int main(void) {
    pthread_t thread;
    struct dirent *first = entry("a9");
    entries[0] = first;
    entries[1] = entry("a10");
#if defined FREES
    free(entries[1]);
    pthread_create(&thread, NULL, compares, NULL);
#else
    pthread_create(&thread, NULL, compares, NULL);
    lock();
#if defined REPLACES
    entries[0] = first; // BUG: data-race
#elif defined RENAMES
    first->d_name[1] = '8'; // BUG: data-race
#endif
    unlock();
#endif
    pthread_join(thread, NULL);
    return 0;
}
