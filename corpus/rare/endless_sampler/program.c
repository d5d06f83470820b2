// A thread that nobody joins samples two values for ever. Two others change them in two steps each; the bug needs the
// second one between the steps of the first, and the sampler between the steps of the second.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int one, other, rounds;

static void *sample(void *unused) {
    for (;;) {
        atomic_fetch_add(&rounds, 1);
        int first = atomic_load(&one), second = atomic_load(&other);
#ifdef CORRECT
        assert(first <= 2 && second <= 2);
#else
        assert(first != 1 || second != 1); // BUG: assertion
#endif
    }
    return unused;
}

static void *change(void *value) {
    atomic_store((atomic_int *)value, 1);
    atomic_store((atomic_int *)value, 2);
    return NULL;
}

int main(void) {
    pthread_t sampling, first, second;
    pthread_create(&sampling, NULL, sample, NULL); // BUG: thread-not-joined
    pthread_create(&first, NULL, change, &one);
    pthread_create(&second, NULL, change, &other);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0; // BUG: missing-pthread-exit
}
