// A reference count that is decremented and looked at in two steps: both owners may free the object, and one may look
// at it after the other has freed it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
};

static void *owner(void *arg) {
    struct object *object = arg;
    atomic_fetch_sub(&object->references, 1); // BUG: data-race heap-use-after-free
    if (atomic_load(&object->references) == 0) // BUG: data-race heap-use-after-free
        free(object); // BUG: data-race double-free
    return NULL;
}

int main(void) {
    struct object *object = malloc(sizeof *object);
    atomic_init(&object->references, 2);
    pthread_t a, b;
    pthread_create(&a, NULL, owner, object);
    pthread_create(&b, NULL, owner, object);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
