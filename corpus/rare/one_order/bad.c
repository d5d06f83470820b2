// THREADS threads take a number each. The program takes it for granted that they do not come in exactly the reverse order
// of their creation: one order of THREADS! is wrong.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 3
#endif

static atomic_int next;
static int number[THREADS];

static void *arrive(void *place) {
    *(int *)place = atomic_fetch_add(&next, 1);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, arrive, &number[i]);
    int reversed = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        reversed += number[i] == THREADS - 1 - i;
    }
    assert(reversed != THREADS); // BUG: assertion
    return 0;
}
