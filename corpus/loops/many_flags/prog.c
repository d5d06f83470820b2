// Must be parked: a round looks at 40 flags.
#include <pthread.h>
#include <stdatomic.h>

enum { FLAGS = 40 };

static atomic_int flags[FLAGS];

static void *waits(void *arg) {
    int set;
    do {
        set = 0;
        for (int i = 0; i < FLAGS; i++)
            set += atomic_load(&flags[i]);
    } while (!set);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    atomic_store(&flags[FLAGS - 1], 1);
    pthread_join(thread, NULL);
    return 0;
}
