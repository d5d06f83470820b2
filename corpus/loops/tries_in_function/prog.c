// Must be parked: the rounds are calls of a function that looks twice.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

__attribute__((noinline)) static int tries(void) {
    for (int i = 0; i < 2; i++)
        if (atomic_load(&flag))
            return 1;
    return 0;
}

static void *waits(void *arg) {
    while (!tries())
        ;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return 0;
}
