// Two threads add 1 TIMES times each, by a load and a store. The sum can be as little as 2: one thread keeps the first
// value over all but one addition of the other, which in turn keeps 1 over all that is left of the first. Four
// preemptions.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void *add(void *unused) {
    for (int i = 0; i < TIMES; i++) {
#ifdef CORRECT
        atomic_fetch_add(&sum, 1);
#else
        int before = atomic_load(&sum);
        atomic_store(&sum, before + 1);
#endif
    }
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, add, NULL);
    pthread_create(&other, NULL, add, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    assert(atomic_load(&sum) > 2); // BUG: assertion
    return 0;
}
