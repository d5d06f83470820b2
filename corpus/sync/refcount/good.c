// A reference count whose decrement says who is the last.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    int data;
};

static void *owner(void *arg) {
    struct object *object = arg;
    if (object->data != 7)
        abort();
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1)
        free(object);
    return NULL;
}

int main(void) {
    struct object *object = malloc(sizeof *object);
    atomic_init(&object->references, 3);
    object->data = 7;
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, owner, object);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
