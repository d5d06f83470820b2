// A variable with two names: each thread writes it by one of them.
#include <pthread.h>

static int counter;
extern int second_name __attribute__((alias("counter"), visibility("hidden")));

static void *thread(void *arg) {
    second_name = 1; // BUG: data-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    counter = 2; // BUG: data-race
    pthread_join(t, NULL);
    return 0;
}
