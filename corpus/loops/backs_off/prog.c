// Must be parked: the thread waits longer after each look, up to a limit, at which its registers stay the same.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *waits(void *arg) {
    unsigned delay = 1;
    while (!atomic_load(&flag)) {
        for (unsigned i = 0; i < delay; i++)
            __builtin_ia32_pause();
        delay = delay < 8 ? 2 * delay : 8;
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return 0;
}
