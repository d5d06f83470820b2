// Initialised by a call, by an initialiser and by assignment.
#include <pthread.h>
#include <stdlib.h>

struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t opened, copy;
    int open;
};

static pthread_cond_t global = PTHREAD_COND_INITIALIZER;

static void *opener(void *arg) {
    struct gate *gate = arg;
    pthread_mutex_lock(&gate->mutex);
    gate->open = 1;
    pthread_cond_signal(&gate->opened);
    pthread_cond_signal(&gate->copy);
    pthread_cond_broadcast(&global);
    pthread_mutex_unlock(&gate->mutex);
    return NULL;
}

int main(void) {
    struct gate *gate = malloc(sizeof *gate);
    pthread_mutex_init(&gate->mutex, NULL);
    pthread_cond_init(&gate->opened, NULL);
    gate->copy = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    gate->open = 0;
    pthread_t t;
    pthread_create(&t, NULL, opener, gate);
    pthread_mutex_lock(&gate->mutex);
    while (!gate->open)
        pthread_cond_wait(&gate->opened, &gate->mutex);
    pthread_mutex_unlock(&gate->mutex);
    pthread_join(t, NULL);
    pthread_cond_destroy(&gate->opened);
    pthread_mutex_destroy(&gate->mutex);
    free(gate);
    return 0;
}
