// Must be woken when the memory goes: the next look of the loop would use it.
#include <pthread.h>
#include <stdlib.h>

static struct shared {
    pthread_mutex_t mutex;
    int ready;
} *shared;

static void *poller(void *arg) {
    int seen;
    do {
        pthread_mutex_lock(&shared->mutex);
        seen = shared->ready; // BUG: heap-use-after-free
        pthread_mutex_unlock(&shared->mutex);
    } while (!seen);
    return arg;
}

int main(void) {
    pthread_t thread;
    shared = calloc(1, sizeof *shared);
    pthread_mutex_init(&shared->mutex, NULL);    // BUG: mutex-not-destroyed
    pthread_create(&thread, NULL, poller, NULL); // BUG: thread-not-joined
    pthread_mutex_lock(&shared->mutex);
    pthread_mutex_unlock(&shared->mutex);
    free(shared);
    pthread_exit(NULL);
}
