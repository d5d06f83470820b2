// A loop that never ends and makes no visible operation, while another thread has a race to be found all the same.
#include <pthread.h>

static int x;

static void *writer(void *arg) {
    x = 1; // BUG: data-race
    return arg;
}

static void *spinner(void *arg) {
    x = 2; // BUG: data-race
    for (volatile int i = 0;; i = 1 - i) // BUG: nonterminating
        ;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, spinner, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
