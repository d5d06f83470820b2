// The flag stays set.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *waiter(void *arg) {
    (void)arg;
    while (atomic_load(&flag) != 1)
        ;
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    atomic_store(&flag, 2);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return 0;
}
