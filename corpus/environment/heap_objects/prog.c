// A mutex on the heap must outlive its last use. With COUNTED, whoever is last gives it back.
#include <pthread.h>
#include <stdlib.h>

struct object {
    pthread_mutex_t mutex;
    int references;
};

static void drop(struct object *object) {
    pthread_mutex_lock(&object->mutex); // BUG: data-race heap-use-after-free mutex-uninitialized
    int last = --object->references == 0; // BUG: heap-use-after-free
    pthread_mutex_unlock(&object->mutex);
#ifdef COUNTED
    if (last) {
        pthread_mutex_destroy(&object->mutex);
        free(object);
    }
#else
    (void)last;
#endif
}

static void *thread(void *arg) {
    drop(arg);
    return NULL;
}

int main(void) {
    pthread_t other;
    struct object *object = malloc(sizeof *object);
    pthread_mutex_init(&object->mutex, NULL); // BUG: mutex-not-destroyed
    object->references = 2;
    pthread_create(&other, NULL, thread, object);
#ifdef COUNTED
    drop(object);
#else
    free(object); // BUG: data-race
#endif
    pthread_join(other, NULL);
    return 0;
}
