// A condition variable in a heap block that nobody initialises.
#include <pthread.h>
#include <stdlib.h>

struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t opened;
    int open;
};

static void *opener(void *arg) {
    struct gate *gate = arg;
    pthread_mutex_lock(&gate->mutex);
    gate->open = 1;
    pthread_cond_signal(&gate->opened); // BUG: cond-uninitialized
    pthread_mutex_unlock(&gate->mutex);
    return NULL;
}

int main(void) {
    struct gate *gate = malloc(sizeof *gate);
    pthread_mutex_init(&gate->mutex, NULL);
    gate->open = 0;
    pthread_t t;
    pthread_create(&t, NULL, opener, gate);
    pthread_join(t, NULL);
    pthread_mutex_destroy(&gate->mutex);
    free(gate);
    return 0;
}
