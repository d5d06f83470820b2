// Two servers without an end and a client that asks each of them for something: the state space has cycles, and no
// execution of the servers ends.
#include <pthread.h>

#ifndef RACY
#define RACY 0
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int turn, served;

static void *server(void *arg) {
    int *own = arg;
    for (;;) {
        pthread_mutex_lock(&mutex);
        turn = (turn + 1) % 3;
        *own = turn;
        pthread_mutex_unlock(&mutex);
        if (RACY && *own == 2)
            served = 1; // BUG: data-race
    }
    return NULL;
}

int main(void) {
    static int state[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, server, &state[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return served;
}
