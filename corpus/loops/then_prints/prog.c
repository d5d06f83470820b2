// A thread that has waited prints: what the library looks at then has no value that a waiting loop could watch.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag;

static void *waits(void *arg) {
    while (!atomic_load(&flag))
        ;
    fprintf(stderr, "%d\n", 1);
    printf("%d\n", 2);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return 0;
}
