// Readers exclude writers by a semaphore that the first reader takes and the last one gives back. READERS threads
// count themselves with atomic steps and without a mutex around the whole: a reader that comes second does not wait
// for the first one's semaphore, and reads while a writer is still inside. Only the one created last minds.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "../noise.h"

static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static sem_t no_writer;
static atomic_int readers, writing;

static void *read_all(void *minds) {
    make_noise();
#ifdef CORRECT
    pthread_mutex_lock(&counting);
#endif
    if (atomic_fetch_add(&readers, 1) == 0)
        sem_wait(&no_writer);
#ifdef CORRECT
    pthread_mutex_unlock(&counting);
#endif
    assert(!minds || !atomic_load(&writing)); // BUG: assertion
#ifdef CORRECT
    pthread_mutex_lock(&counting);
#endif
    if (atomic_fetch_sub(&readers, 1) == 1)
        sem_post(&no_writer);
#ifdef CORRECT
    pthread_mutex_unlock(&counting);
#endif
    make_noise();
    return NULL;
}

static void *write_all(void *unused) {
    make_noise();
    sem_wait(&no_writer);
    atomic_store(&writing, 1);
    atomic_store(&writing, 0);
    sem_post(&no_writer);
    make_noise();
    return unused;
}

int main(void) {
    pthread_t threads[READERS], writer;
    sem_init(&no_writer, 0, 1);
    for (int i = 0; i < READERS; i++)
        pthread_create(&threads[i], NULL, read_all, i == READERS - 1 ? &readers : NULL);
    pthread_create(&writer, NULL, write_all, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(writer, NULL);
    return 0;
}
