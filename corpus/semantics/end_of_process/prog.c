// The thread that ends the process runs the destructors, while the other threads go on.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int busy;

__attribute__((destructor)) static void check(void) {
    assert(!busy); // BUG: assertion
}

static void *thread(void *arg) {
    exit(arg != NULL);
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    busy = 1;
    busy = 0;
    pthread_join(t, NULL);
    return 0;
}
