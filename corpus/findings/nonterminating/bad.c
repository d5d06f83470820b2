// A loop that never ends and never touches anything another thread could change.
#include <pthread.h>

static void *thread(void *arg) {
    volatile unsigned steps = 1;
    while (steps != 0) // BUG: nonterminating
        steps |= 1; // BUG: nonterminating
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return 0;
}
