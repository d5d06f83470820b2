// A thread waits for a value that nobody stores. Optimised as a whole, the program has no load left in the loop; the loop is
// there all the same, and what comes after it is never reached.
#include <pthread.h>

static _Atomic int ready;

static void *waiter(void *argument) {
    while (ready != 1) // BUG: nonterminating
        ;
    return argument;
}

static void *other(void *argument) { return argument; }

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, waiter, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    pthread_exit(NULL);
}
