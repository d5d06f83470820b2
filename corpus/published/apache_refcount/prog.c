// Apache httpd, bug 21287 (mod_mem_cache): a request that is done with a cached object decrements its reference count and
// then looks whether it is zero. Two requests that are done at once both see zero, and both free the object. The count
// itself is atomic. Fixed by looking at the result of the decrement. WRONG == 1: as it was.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    char *body;
};

static struct object *object;

static void cleanup(struct object *done) {
    free(done->body); // BUG: data-race double-free heap-use-after-free
    free(done);       // BUG: data-race double-free heap-use-after-free
}

static void release(struct object *done) {
#if WRONG
    atomic_fetch_sub(&done->references, 1); // BUG: heap-use-after-free
    if (atomic_load(&done->references) == 0) cleanup(done); // BUG: heap-use-after-free
#else
    if (atomic_fetch_sub(&done->references, 1) == 1) cleanup(done);
#endif
}

static void *request(void *arg) {
    release(object);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    object = malloc(sizeof *object);
    atomic_init(&object->references, 2);
    object->body = malloc(16);
    pthread_create(&threads[0], 0, request, 0);
    pthread_create(&threads[1], 0, request, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
