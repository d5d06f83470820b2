// A table is filled in two stages, the contents first, so that who finds a size finds the contents as well.
#include <assert.h>
#include <pthread.h>

#include "../noise.h"

#ifndef READERS
#define READERS 3
#endif

static pthread_mutex_t size_lock = PTHREAD_MUTEX_INITIALIZER, contents_lock = PTHREAD_MUTEX_INITIALIZER;
static int size, contents;

static void *fill(void *unused) {
    (void)unused;
    make_noise();
    pthread_mutex_lock(&contents_lock);
    contents = 1;
    pthread_mutex_unlock(&contents_lock);
    pthread_mutex_lock(&size_lock);
    size = 1;
    pthread_mutex_unlock(&size_lock);
    make_noise();
    return NULL;
}

static void *read_table(void *unused) {
    (void)unused;
    make_noise();
    pthread_mutex_lock(&size_lock);
    int found = size;
    pthread_mutex_unlock(&size_lock);
    if (!found)
        return NULL;
    pthread_mutex_lock(&contents_lock);
    found = contents;
    pthread_mutex_unlock(&contents_lock);
    assert(found == 1);
    make_noise();
    return NULL;
}

int main(void) {
    pthread_t filler, readers[READERS];
    for (int i = 0; i < READERS; i++)
        pthread_create(&readers[i], NULL, read_table, NULL);
    pthread_create(&filler, NULL, fill, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    pthread_join(filler, NULL);
    pthread_mutex_destroy(&size_lock);
    pthread_mutex_destroy(&contents_lock);
    return 0;
}
