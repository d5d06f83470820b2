// Must be parked: two states, in each of which the thread looks at another flag.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int first, second;

static void *waits(void *arg) {
    int state = 0;
    for (;;)
        switch (state) {
        case 0:
            if (atomic_load(&first))
                return arg;
            state = 1;
            break;
        default:
            if (atomic_load(&second))
                return arg;
            state = 0;
        }
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    atomic_store(&second, 1);
    pthread_join(thread, NULL);
    atomic_store(&first, 0); // so that it is no constant
    return 0;
}
