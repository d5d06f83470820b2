// A block freed and allocated again is a new block: its users of before and after do not race, nor is a thread's own
// reuse a use after free. One thread after the other, in any order.
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *arg) {
    for (int i = 0; i < 3; i++) {
        int *block = malloc(sizeof *block);
        *block = i;
        free(block);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    worker(NULL);
    return 0;
}
