// A local variable of main handed to two threads is shared.
#include <pthread.h>

static void *increment(void *arg) {
    (*(int *)arg)++; // BUG: data-race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int local = 0;
    pthread_create(&a, NULL, increment, &local);
    pthread_create(&b, NULL, increment, &local);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return local == 0;
}
