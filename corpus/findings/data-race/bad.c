// Two threads increment a counter without any protection.
#include <pthread.h>

static int counter;

static void *thread(void *arg) {
    (void)arg;
    counter++; // BUG: data-race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, thread, NULL);
    pthread_create(&b, NULL, thread, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
