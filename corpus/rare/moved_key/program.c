// A hash table of KEYS keys is moved to a larger one, one key after the other: each is put into the new table and
// then taken out of the old one. A lookup searches the new table first and the old one then, so a key that is moved
// in between is in neither when it is searched for there. Only the key in the middle is looked up. The correct
// lookup searches the old table first.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

enum { FREE = 0 };

static atomic_int old_table[KEYS], new_table[4 * KEYS];

static unsigned hash(int key, unsigned size) {
    return (unsigned)key * 2654435761u % size;
}

static int is_in(atomic_int *table, unsigned size, int key) {
    for (unsigned i = 0, place = hash(key, size); i < size; i++, place = (place + 1) % size) {
        int found = atomic_load(&table[place]);
        if (found == key || (found == FREE && size > KEYS))
            return found == key;
    }
    return 0;
}

static void put(atomic_int *table, unsigned size, int key) {
    unsigned place = hash(key, size);
    while (atomic_load(&table[place]) != FREE)
        place = (place + 1) % size;
    atomic_store(&table[place], key);
}

static void *move(void *unused) {
    make_noise();
    for (int i = 0; i < KEYS; i++) {
        int key = atomic_load(&old_table[i]);
        put(new_table, 4 * KEYS, key);
        atomic_store(&old_table[i], FREE);
    }
    make_noise();
    return unused;
}

static void *look_up(void *unused) {
    int key = KEYS / 2;
    make_noise();
#ifdef CORRECT
    int found = is_in(old_table, KEYS, key) || is_in(new_table, 4 * KEYS, key);
#else
    int found = is_in(new_table, 4 * KEYS, key) || is_in(old_table, KEYS, key);
#endif
    assert(found); // BUG: assertion
    make_noise();
    return unused;
}

int main(void) {
    pthread_t moving, looking;
    for (int key = 1; key <= KEYS; key++)
        put(old_table, KEYS, key);
    pthread_create(&looking, NULL, look_up, NULL);
    pthread_create(&moving, NULL, move, NULL);
    pthread_join(moving, NULL);
    pthread_join(looking, NULL);
    return 0;
}
