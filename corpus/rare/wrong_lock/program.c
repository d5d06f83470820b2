// Entries are kept in two lists, each with a lock, and an entry's size belongs to the lock of its list. A thread
// that changes a size looks which list the entry is in, and locks that list; the entry may have been moved to the
// other list in between, and then the size is changed under the wrong lock. RESIZERS threads change sizes of entries
// that stay.
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

struct entry {
    atomic_int list;
    int size;
};

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static struct entry moved, staying;

static int lock_list_of(struct entry *entry) {
    for (;;) {
        int list = atomic_load(&entry->list);
        pthread_mutex_lock(&locks[list]);
#ifdef CORRECT
        if (atomic_load(&entry->list) != list) {
            pthread_mutex_unlock(&locks[list]);
            continue;
        }
#endif
        return list;
    }
}

static void *resize(void *which) {
    struct entry *entry = which;
    int list = lock_list_of(entry);
    entry->size++; // BUG: data-race
    pthread_mutex_unlock(&locks[list]);
    make_noise();
    return NULL;
}

static void *move(void *unused) {
    for (int i = 0; i < LATER; i++)
        make_noise();
    pthread_mutex_lock(&locks[0]);
    pthread_mutex_lock(&locks[1]);
    atomic_store(&moved.list, 1);
    pthread_mutex_unlock(&locks[0]);
    moved.size *= 2; // BUG: data-race
    pthread_mutex_unlock(&locks[1]);
    make_noise();
    return unused;
}

int main(void) {
    pthread_t resizers[RESIZERS + 1], mover;
    for (int i = 0; i <= RESIZERS; i++)
        pthread_create(&resizers[i], NULL, resize, i == RESIZERS ? &moved : &staying);
    pthread_create(&mover, NULL, move, NULL);
    for (int i = 0; i <= RESIZERS; i++)
        pthread_join(resizers[i], NULL);
    pthread_join(mover, NULL);
    return 0;
}
