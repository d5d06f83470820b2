// A writer changes a pair under a sequence number, WRITES times. A reader that looks at the number before it reads, but
// not after, gets one value of one pair and one of the next.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

static atomic_int sequence, one, other;

static void *change(void *unused) {
    make_noise();
    for (int i = 1; i <= WRITES; i++) {
        atomic_fetch_add(&sequence, 1);
        atomic_store(&one, i);
        atomic_store(&other, i);
        atomic_fetch_add(&sequence, 1);
    }
    make_noise();
    return unused;
}

static void *look(void *unused) {
    make_noise();
    int before = atomic_load(&sequence);
    if (before % 2 != 0 || before != WRITES)
        return unused;
    int first = atomic_load(&one), second = atomic_load(&other);
#ifdef CORRECT
    if (atomic_load(&sequence) != before)
        return unused;
#endif
    assert(first == second); // BUG: assertion
    make_noise();
    return unused;
}

int main(void) {
    pthread_t changing, looking;
    pthread_create(&changing, NULL, change, NULL);
    pthread_create(&looking, NULL, look, NULL);
    pthread_join(changing, NULL);
    pthread_join(looking, NULL);
    return 0;
}
