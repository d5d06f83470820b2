// A store of KEYS values and a cache before it, each with a read-write lock of its own. Who does not find a value in
// the cache reads the store and puts the value into the cache. A writer changes the store and empties the cache's
// place; if that comes between a reader's two steps, the old value stays in the cache for ever.
#include <assert.h>
#include <pthread.h>

#include "../noise.h"

static pthread_rwlock_t store_lock = PTHREAD_RWLOCK_INITIALIZER, cache_lock = PTHREAD_RWLOCK_INITIALIZER;
static int store[KEYS], cache[KEYS], versions[KEYS];

static void *look_up(void *number) {
    long key = (long)number;
    pthread_rwlock_rdlock(&cache_lock);
    int found = cache[key], version = versions[key];
    pthread_rwlock_unlock(&cache_lock);
    if (!found) {
        pthread_rwlock_rdlock(&store_lock);
        found = store[key];
        pthread_rwlock_unlock(&store_lock);
        pthread_rwlock_wrlock(&cache_lock);
#ifdef CORRECT
        if (versions[key] == version)
#endif
            cache[key] = found;
        pthread_rwlock_unlock(&cache_lock);
    }
    make_noise();
    return (void *)(long)version;
}

static void *change(void *number) {
    long key = (long)number;
    for (int i = 0; i < LATER; i++)
        make_noise();
    pthread_rwlock_wrlock(&store_lock);
    store[key]++;
    pthread_rwlock_unlock(&store_lock);
    pthread_rwlock_wrlock(&cache_lock);
    cache[key] = 0;
    versions[key]++;
    pthread_rwlock_unlock(&cache_lock);
    make_noise();
    return NULL;
}

int main(void) {
    pthread_t readers[KEYS], writer;
    for (long i = 0; i < KEYS; i++) {
        store[i] = 1;
        pthread_create(&readers[i], NULL, look_up, (void *)i);
    }
    pthread_create(&writer, NULL, change, (void *)(KEYS - 1L));
    pthread_join(writer, NULL);
    for (int i = 0; i < KEYS; i++) {
        pthread_join(readers[i], NULL);
        assert(!cache[i] || cache[i] == store[i]); // BUG: assertion
    }
    return 0;
}
