// Main calls exit at once. That must not hide the race of its threads.
#include <pthread.h>
#include <stdlib.h>

static int x;

static void *writer(void *arg) {
    (void)arg;
    x = 1; // BUG: data-race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, writer, NULL);
    exit(0); // BUG: missing-pthread-exit
}
