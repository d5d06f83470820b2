// A value is published after the flag that says so: a reader that sees the flag may follow a null pointer. The run in
// which the race is found goes through; the other order of the two accesses ends in a crash before the second one.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *volatile value;
static atomic_int ready;

static void *user(void *unused) {
    (void)unused;
    if (!ready) {
        int *made = malloc(sizeof *made);
        *made = 7;
        if (atomic_fetch_add(&ready, 1) == 0)
            atomic_store((int *volatile _Atomic *)&value, made); // BUG: data-race
        else
            free(made);
    }
    return (void *)(long)*value; // BUG: crash
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, user, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
