// The variable is main's, and main waits for the thread that uses it.
#include <pthread.h>
#include <stddef.h>

static void *thread(void *arg) {
    *(int *)arg = 1;
    return NULL;
}

int main(void) {
    pthread_t other;
    int local = 0;
    pthread_create(&other, NULL, thread, &local);
    pthread_join(other, NULL);
    return local == 2;
}
