// A destructor that sets its value anew is called PTHREAD_DESTRUCTOR_ITERATIONS times.
#include <assert.h>
#include <limits.h>
#include <pthread.h>

static pthread_key_t key;
static int calls;

static void again(void *value) {
    assert(pthread_getspecific(key) == NULL);
    calls++;
    pthread_setspecific(key, value);
}

static void *thread(void *arg) {
    pthread_setspecific(key, &calls);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_key_create(&key, again);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    assert(calls == PTHREAD_DESTRUCTOR_ITERATIONS);
    return 0;
}
