// A long computation without a visible operation that does end.
#include <pthread.h>

static void *thread(void *arg) {
    volatile unsigned steps = 0;
    while (steps < 30 * 1000 * 1000)
        steps++;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return 0;
}
