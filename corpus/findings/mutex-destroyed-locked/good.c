// A mutex destroyed by its last user, at once after unlocking it, as POSIX allows.
#include <pthread.h>
#include <stdlib.h>

struct object {
    pthread_mutex_t mutex;
    int references;
};

static void *owner(void *arg) {
    struct object *object = arg;
    pthread_mutex_lock(&object->mutex);
    int left = --object->references;
    pthread_mutex_unlock(&object->mutex);
    if (left == 0) {
        pthread_mutex_destroy(&object->mutex);
        free(object);
    }
    return NULL;
}

int main(void) {
    struct object *object = malloc(sizeof *object);
    object->references = 2;
    pthread_mutex_init(&object->mutex, NULL);
    pthread_t a, b;
    pthread_create(&a, NULL, owner, object);
    pthread_create(&b, NULL, owner, object);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
