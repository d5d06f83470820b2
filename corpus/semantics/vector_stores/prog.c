// Stores that go past the cache, and instructions whose accesses no table covers, which are named.
#include <immintrin.h>
#include <pthread.h>

static int data[64] __attribute__((aligned(64)));
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

static void *stores(void *arg) {
    lock();
#ifdef BY_MASK
    _mm_maskmoveu_si128(_mm_set1_epi8(1), _mm_set1_epi8(-1), (char *)data);
#else
    _mm_stream_si32(&data[1], 5); // BUG: data-race
#endif
    unlock();
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, stores, NULL);
    lock();
    data[1] = 1; // BUG: data-race
    unlock();
    pthread_join(thread, NULL);
    return 0;
}
