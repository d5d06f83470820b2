// Must not be parked: each iteration makes a choice of its own.
#include <inspect.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *waiter(void *arg) {
    for (int i = 0; i < 2; i++)
        if (!atomic_load(&flag) && inspect_choose(2) == 1)
            return arg;
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    atomic_store(&flag, 1);
    pthread_join(t, NULL);
    return 0;
}
