// A semaphore is initialised by whoever needs it first: a thread looks whether it has been, initialises it, and says
// so. Two that look before either has said so both initialise it. OTHERS threads take a unit if the semaphore is
// there.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "../noise.h"

static sem_t units;
static atomic_int state;

static void need_units(void) {
#ifdef CORRECT
    int before = 0;
    if (atomic_compare_exchange_strong(&state, &before, 1)) {
        sem_init(&units, 0, OTHERS + 2);
        atomic_store(&state, 2);
    }
    while (atomic_load(&state) != 2)
        ;
#else
    if (!atomic_load(&state)) {
        sem_init(&units, 0, OTHERS + 2); // BUG: double-init data-race
        atomic_store(&state, 2);
    }
#endif
}

static void *use(void *is_later) {
    for (int i = 0; is_later && i < LATER; i++)
        make_noise();
    need_units();
    sem_wait(&units); // BUG: data-race
    make_noise();
    return NULL;
}

static void *other(void *unused) {
    make_noise();
    if (atomic_load(&state) == 2)
        sem_wait(&units); // BUG: data-race
    make_noise();
    return unused;
}

int main(void) {
    pthread_t one, late, others[OTHERS];
    pthread_create(&one, NULL, use, NULL);
    for (int i = 0; i < OTHERS; i++)
        pthread_create(&others[i], NULL, other, NULL);
    pthread_create(&late, NULL, use, &state);
    for (int i = 0; i < OTHERS; i++)
        pthread_join(others[i], NULL);
    pthread_join(one, NULL);
    pthread_join(late, NULL);
    sem_destroy(&units);
    return 0;
}
