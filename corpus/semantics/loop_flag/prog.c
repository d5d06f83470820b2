// Must be parked: a wait for one atomic flag. With -DYIELD the loop yields, with -DPAUSE it tells the processor.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *waiter(void *arg) {
    while (!atomic_load(&flag)) {
#ifdef YIELD
        sched_yield();
#endif
#ifdef PAUSE
        __builtin_ia32_pause();
#endif
    }
    *(int *)arg = data;
    return NULL;
}

int main(void) {
    pthread_t t;
    int copy;
    pthread_create(&t, NULL, waiter, &copy);
    data = 1;
    atomic_store(&flag, 1);
    pthread_join(t, NULL);
    return copy - 1;
}
