// A tree of the C library: its root stands for its nodes.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>

static void *root;
static int keys[3] = {1, 2, 3};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int compare(const void *left, const void *right) { return *(const int *)left - *(const int *)right; }
static void leave(void *key) { *(int *)key = 0; }

static void *inserter(void *argument) {
#ifndef RACE
    pthread_mutex_lock(&mutex);
#endif
    tsearch(&keys[0], &root, compare); // BUG: data-race
#ifndef RACE
    pthread_mutex_unlock(&mutex);
#endif
    return argument;
}

int main(void) {
    pthread_t thread;
    tsearch(&keys[1], &root, compare);
    pthread_create(&thread, NULL, inserter, NULL);
#ifndef RACE
    pthread_mutex_lock(&mutex);
#endif
    void *found = tfind(&keys[1], &root, compare); // BUG: data-race
#ifndef RACE
    pthread_mutex_unlock(&mutex);
#endif
    assert(found != NULL && **(int **)found == 2);
    pthread_join(thread, NULL);
    tdelete(&keys[1], &root, compare);
    tdestroy(root, leave);
#ifdef GONE
    return **(int **)root; // BUG: heap-use-after-free
#endif
    assert(keys[0] == 0);
    return 0;
}
