// Must not be parked: the third time round, the thread gives up.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int slots[2];

static void *looks(void *arg) {
    int rounds = 0;
    for (int i = 0;; i = (i + 1) % 2) {
        if (i == 0 && ++rounds == 4)
            return NULL;
        if (atomic_load(&slots[i]))
            return arg;
    }
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, looks, NULL);
    atomic_store(&slots[1], 1);
    pthread_join(thread, NULL);
    return 0;
}
