// Synchronisation objects in memory that had others before: in frames of functions that have returned, in blocks that
// were given back, and in a once object that is set back.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int count;

static void *use(void *mutex) {
    pthread_mutex_lock(mutex);
    count++;
    pthread_mutex_unlock(mutex);
    return NULL;
}

static void *keep(void *mutex) {
    pthread_mutex_lock(mutex);
    count++;
    return NULL;
}

static void in_thread(void *(*function)(void *), pthread_mutex_t *mutex) {
    pthread_t thread;
    pthread_create(&thread, NULL, function, mutex);
    pthread_join(thread, NULL);
}

static void destroyed(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    in_thread(use, &mutex);
    pthread_cond_signal(&cond);
    pthread_cond_destroy(&cond);
    pthread_mutex_destroy(&mutex);
#ifdef USED_AFTER
    pthread_mutex_lock(&mutex); // BUG: mutex-uninitialized
#endif
}

static void left_locked(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    in_thread(keep, &mutex);
}

static void never_destroyed(void) {
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, NULL); // BUG: mutex-not-destroyed
    in_thread(use, &mutex);
}

static void initialise(void) {
    count++;
}

static void once_in_frame(void) {
    pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialise);
    pthread_once(&once, initialise);
}

static void once_on_heap(void) {
    pthread_once_t fresh = PTHREAD_ONCE_INIT;
    pthread_once_t *once = malloc(sizeof *once);
    *once = fresh;
    pthread_once(once, initialise);
    free(once);
}

static void once_set_back(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once_t fresh = PTHREAD_ONCE_INIT;
    once = fresh;
    pthread_once(&once, initialise);
}

int main(void) {
    void (*const all[])(void) = {
        destroyed, left_locked, never_destroyed, once_in_frame, once_on_heap, once_set_back,
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        count = 0;
        for (int round = 0; round < 3; round++)
            all[i]();
        assert(count == 3);
    }
    return 0;
}
