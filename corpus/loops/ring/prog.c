// Must be parked: the thread looks for a full slot, round and round.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int slots[3];

static void *looks(void *arg) {
    for (int i = 0;; i = (i + 1) % 3)
        if (atomic_load(&slots[i]))
            return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, looks, NULL);
    atomic_store(&slots[1], 1);
    pthread_join(thread, NULL);
    return 0;
}
