// A thread counts WORK times, then says that its data are there, and only then puts them there. READERS threads count
// as often, and look once each.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready, data, counts[READERS + 1];

static void work(int who) {
    for (int i = 0; i < WORK; i++)
        atomic_fetch_add(&counts[who], 1);
}

static void *publish(void *unused) {
    work(READERS);
#ifdef CORRECT
    atomic_store(&data, 1);
    atomic_store(&ready, 1);
#else
    atomic_store(&ready, 1);
    atomic_store(&data, 1);
#endif
    return unused;
}

static void *look(void *who) {
    work((int)(long)who);
    if (atomic_load(&ready))
        assert(atomic_load(&data) == 1); // BUG: assertion
    return NULL;
}

int main(void) {
    pthread_t publisher, readers[READERS];
    pthread_create(&publisher, NULL, publish, NULL);
    for (long i = 0; i < READERS; i++)
        pthread_create(&readers[i], NULL, look, (void *)i);
    pthread_join(publisher, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    return 0;
}
