// Main asks for each of two threads once, in the order of their creation.
#define _GNU_SOURCE
#include <pthread.h>

static void *thread(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t[2];
    int busy[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < 2; i++)
        busy[i] = pthread_tryjoin_np(t[i], NULL);
    for (int i = 0; i < 2; i++)
        if (busy[i])
            pthread_join(t[i], NULL);
    return 0;
}
