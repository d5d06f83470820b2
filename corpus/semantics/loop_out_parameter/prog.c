// Must be parked: what is taken goes into a variable of the loop's function, which stays in memory because its address
// is given away. A look in vain leaves it as it is, or (FRESH) puts the same into it every time.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

__attribute__((noinline)) static int take(int *to) {
    int now = atomic_load(&flag);
#ifdef FRESH
    *to = now;
#else
    if (now)
        *to = now;
#endif
    return now;
}

static void *waiter(void *arg) {
    int taken = 0;
    while (!take(&taken))
        ;
    return taken == 1 ? arg : &flag;
}

int main(void) {
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, waiter, NULL);
    atomic_store(&flag, 1);
    pthread_join(t, &result);
    return result != NULL;
}
