// An exchange fails only if somebody else has come first. A weak one might fail all the same, which no execution shows: that
// is an assumption.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef STRONG
#define EXCHANGE atomic_compare_exchange_strong
#else
#define EXCHANGE atomic_compare_exchange_weak
#endif

static atomic_int owner;

static void *takes(void *arg) {
    int expected = 0;
    if (!EXCHANGE(&owner, &expected, 1))
        assert(expected != 0);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, takes, NULL);
    takes(NULL);
    pthread_join(thread, NULL);
    return 0;
}
