// A lock that its owner may take again: a spin lock, and beside it who owns it and how often. Who gives it up
// unlocks the spin lock and clears the owner then, which may already be another thread: that one no longer knows
// that it owns the lock and waits for itself when it takes it the second time.
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

static pthread_spinlock_t lock;
static atomic_int owner;
static int depth;

static void take(int mine) {
    if (atomic_load(&owner) != mine) {
        pthread_spin_lock(&lock); // BUG: mutex-relock
        atomic_store(&owner, mine);
    }
    depth++;
}

static void give_up(void) {
    if (--depth > 0)
        return;
#ifdef CORRECT
    atomic_store(&owner, 0);
    pthread_spin_unlock(&lock);
#else
    pthread_spin_unlock(&lock);
    atomic_store(&owner, 0);
#endif
}

static void *use(void *number) {
    make_noise();
    int mine = (int)(long)number;
    take(mine);
    if (mine == THREADS) {
        take(mine);
        give_up();
    }
    give_up();
    make_noise();
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, use, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_spin_destroy(&lock);
    return 0;
}
