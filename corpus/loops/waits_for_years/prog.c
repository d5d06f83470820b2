// Must come to its end: the loop waits for a time that is three years away.
#include <pthread.h>
#include <time.h>

static void *waiter(void *arg) {
    time_t begin = time(NULL);
    while (time(NULL) < begin + 100000000)
        ;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_join(thread, NULL);
    return 0;
}
