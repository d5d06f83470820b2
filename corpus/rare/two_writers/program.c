// A pair under a sequence number, which a writer raises before and after it changes the pair: while the number is
// odd, no reader trusts the pair. Writers do not exclude each other. If two have begun, the number is even again,
// and a reader that looks then trusts what both are still changing.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

static atomic_int sequence, left, right;
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

static void *write_pair(void *value) {
    make_noise();
#ifdef CORRECT
    pthread_mutex_lock(&writing);
#endif
    atomic_fetch_add(&sequence, 1);
    atomic_store(&left, (int)(long)value);
    atomic_store(&right, (int)(long)value);
    atomic_fetch_add(&sequence, 1);
#ifdef CORRECT
    pthread_mutex_unlock(&writing);
#endif
    make_noise();
    return NULL;
}

static void *read_pair(void *unused) {
    make_noise();
    int before = atomic_load(&sequence);
    int one = atomic_load(&left), other = atomic_load(&right);
    if (before % 2 == 0 && atomic_load(&sequence) == before && before > 0 && before < 2 * WRITERS)
        assert(one == other); // BUG: assertion
    make_noise();
    return unused;
}

int main(void) {
    pthread_t writers[WRITERS], reader;
    for (long i = 0; i < WRITERS; i++)
        pthread_create(&writers[i], NULL, write_pair, (void *)(i + 1));
    pthread_create(&reader, NULL, read_pair, NULL);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(writers[i], NULL);
    pthread_join(reader, NULL);
    pthread_mutex_destroy(&writing);
    return 0;
}
