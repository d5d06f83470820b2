// Must be parked: a round looks three times before it yields.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag;

static void *waits(void *arg) {
    for (;;) {
        for (int i = 0; i < 3; i++)
            if (atomic_load(&flag))
                return arg;
        sched_yield();
    }
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return 0;
}
