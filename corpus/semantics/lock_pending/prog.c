// Neither thread ever unlocks, so whoever comes second is blocked at the end of the run. That blocked lock must still be
// reversed with the first one: the assertion fails only if the second thread gets the lock.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int owner;

static void *first(void *arg) {
    pthread_mutex_lock(&mutex);
    owner = 1;
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&mutex);
    owner = 2;
    assert(owner != 2); // BUG: assertion
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_detach(a);
    pthread_detach(b);
    pthread_exit(NULL);
}
