// The last user of an object frees it, but the counter is too weak to order that after the other's uses. Two races lie in
// one run; each has a replay of its own, in which the other one is there as well.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int users;
    int content;
};

static void *user(void *argument) {
    struct object *object = argument;
    int content = object->content;
    if (atomic_fetch_sub_explicit(&object->users, 1, memory_order_relaxed) == 1)
        free(object); // BUG: data-race
    return (void *)(long)content;
}

int main(void) {
    struct object *object = malloc(sizeof *object);
    pthread_t a, b;
    object->users = 2;
    object->content = 3;
    pthread_create(&a, NULL, user, object);
    pthread_create(&b, NULL, user, object);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
