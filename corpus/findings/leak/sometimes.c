// Two threads replace what a variable points to, and each frees what it has found there. Where each only puts its block
// there if there is none (FIRST), and frees it otherwise, both may have seen that there is none: then one block is lost.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(char *) current;

static void *replaces(void *arg) {
    char *own = malloc(8); // BUG: leak
#ifdef FIRST
    if (!atomic_load(&current))
        atomic_store(&current, own);
    else
        free(own);
#else
    free(atomic_exchange(&current, own));
#endif
    return arg;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, replaces, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(atomic_load(&current));
    return 0;
}
