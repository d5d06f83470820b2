// A ring of CAPACITY places between a producer and a consumer. The producer allows one entry too many: it overwrites
// the entry that the consumer is about to take if it gets that far ahead.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef CORRECT
enum { MOST = CAPACITY };
#else
enum { MOST = CAPACITY + 1 };
#endif

static atomic_int ring[CAPACITY], written, taken;

static void *produce(void *unused) {
    for (int i = 0; i < ITEMS; i++) {
        if (i - atomic_load(&taken) >= MOST)
            return unused;
        atomic_store(&ring[i % CAPACITY], i);
        atomic_store(&written, i + 1);
    }
    return unused;
}

static void *consume(void *unused) {
    for (int i = 0; i < ITEMS; i++) {
        if (atomic_load(&written) <= i)
            return unused;
        assert(atomic_load(&ring[i % CAPACITY]) == i); // BUG: assertion
        atomic_store(&taken, i + 1);
    }
    return unused;
}

int main(void) {
    pthread_t producing, consuming;
    pthread_create(&consuming, NULL, consume, NULL);
    pthread_create(&producing, NULL, produce, NULL);
    pthread_join(producing, NULL);
    pthread_join(consuming, NULL);
    return 0;
}
