// Peterson's algorithm with plain variables: right if every access took effect in order, but in C every access races.
#include <pthread.h>
#include <stdint.h>

static volatile int wants[2], turn;
static int counter;

static void *thread(void *arg) {
    int me = (int)(intptr_t)arg, other = 1 - me;
    wants[me] = 1; // BUG: data-race
    turn = other; // BUG: data-race
    while (wants[other] && turn == other) // BUG: data-race
        ;
    counter++; // BUG: data-race
    wants[me] = 0; // BUG: data-race
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, thread, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
