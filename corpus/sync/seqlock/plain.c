// A sequence lock around plain data: a reader that will try again has still raced with the writer.
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static int data;

static void *writer(void *arg) {
    (void)arg;
    atomic_fetch_add(&sequence, 1);
    data = 1; // BUG: data-race
    atomic_fetch_add(&sequence, 1);
    return NULL;
}

static void *reader(void *arg) {
    unsigned before, after;
    do {
        before = atomic_load(&sequence);
        *(int *)arg = data; // BUG: data-race
        after = atomic_load(&sequence);
    } while (before % 2 == 1 || before != after);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int copy;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, &copy);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
