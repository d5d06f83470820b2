// A spin lock excludes; the spinning is not explored.
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t spin;
static int count;

static void *first(void *arg) {
    pthread_spin_lock(&spin);
    count++;
    pthread_spin_unlock(&spin);
    return arg;
}

static void *second(void *arg) {
    pthread_spin_lock(&spin);
    count++;
    pthread_spin_unlock(&spin);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(count == 2);
    pthread_spin_destroy(&spin);
    return 0;
}
