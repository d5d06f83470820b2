// A thread assumes that it sees the other one's store; where it does not, it stays there.
#include <inspect.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *reader(void *arg) {
    (void)arg;
    inspect_assume(atomic_load(&x) == 1);
    return NULL;
}

static void *writer(void *arg) {
    (void)arg;
    atomic_store(&x, 1);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
