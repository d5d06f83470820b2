// Threads joined once each, in another order than they were created, one of them by another thread.
#include <pthread.h>

static pthread_t first;

static void *worker(void *arg) {
    return arg;
}

static void *joiner(void *arg) {
    pthread_join(first, NULL);
    return arg;
}

int main(void) {
    pthread_t second, third;
    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, worker, NULL);
    pthread_create(&third, NULL, joiner, NULL);
    pthread_join(third, NULL);
    pthread_join(second, NULL);
    return 0;
}
