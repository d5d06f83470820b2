// STATIONS threads hand a token round by semaphores, ROUNDS times. A watchdog looks at a counter twice, and takes
// the token for lost if the counter has not changed: it puts a new one into the ring. The counter is raised by the
// first station only, so a token that goes round slowly is taken for lost, and two stations can have a token at
// once. The correct watchdog waits for a station that says that the token is lost, which none does.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "../noise.h"

static sem_t tokens[STATIONS];
static atomic_int rounds, holders, lost;

static void *station(void *number) {
    long mine = (long)number;
    for (int i = 0; i < ROUNDS; i++) {
        sem_wait(&tokens[mine]);
        if (mine == 0)
            atomic_fetch_add(&rounds, 1);
        assert(atomic_fetch_add(&holders, 1) == 0); // BUG: assertion
        make_noise();
        atomic_fetch_sub(&holders, 1);
        sem_post(&tokens[(mine + 1) % STATIONS]);
    }
    return NULL;
}

static void *watch(void *unused) {
    // The ring runs when the first station has had the token, and until it has it for the last time.
    int before = atomic_load(&rounds);
    for (int i = 0; i < LATER; i++)
        make_noise();
    int stands = before > 0 && before < ROUNDS && atomic_load(&rounds) == before;
#ifdef CORRECT
    stands = stands && atomic_load(&lost);
#endif
    if (stands)
        sem_post(&tokens[0]);
    return unused;
}

int main(void) {
    pthread_t stations[STATIONS], watchdog;
    for (int i = 0; i < STATIONS; i++)
        sem_init(&tokens[i], 0, i == 0);
    for (long i = 0; i < STATIONS; i++)
        pthread_create(&stations[i], NULL, station, (void *)i);
    pthread_create(&watchdog, NULL, watch, NULL);
    for (int i = 0; i < STATIONS; i++)
        pthread_join(stations[i], NULL);
    pthread_join(watchdog, NULL);
    return 0;
}
