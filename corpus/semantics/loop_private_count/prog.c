// Must not be parked: every look in vain counts in a variable of the caller, and the third gives up.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

__attribute__((noinline)) static int look(int *looks) {
    ++*looks;
    return atomic_load(&flag);
}

__attribute__((noinline)) static void wait_a_little(int *looks) {
    while (!look(looks) && *looks < 3)
        ;
}

static void *waiter(void *arg) {
    int looks = 0;
    wait_a_little(&looks);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    atomic_store(&flag, 1);
    pthread_join(t, NULL);
    return 0;
}
