// Must not be parked: the loop changes a local array that decides when it ends.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int flag;

static void *waiter(void *arg) {
    char tried[4];
    memset(tried, 0, sizeof tried);
    for (;;) {
        if (atomic_load(&flag))
            break;
        char *open = memchr(tried, 0, sizeof tried);
        if (open == NULL)
            break;
        *open = 1;
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    atomic_store(&flag, 1);
    pthread_join(t, NULL);
    return 0;
}
