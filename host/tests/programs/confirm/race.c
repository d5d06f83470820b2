// Two threads add to a counter that nothing guards, and look at a limit that is set before they begin.
#include <pthread.h>

static int counter, limit;

static void add(int *to) {
    *to += 1; // BUG: data-race
}

static void *work(void *arg) {
    if (limit > 0)
        add(&counter);
    return arg;
}

int main(void) {
    pthread_t a, b;
    limit = 1;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return counter == 0;
}
