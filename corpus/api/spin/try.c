// A trylock takes the lock or finds it taken.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_spinlock_t spin;

static void *thread(void *arg) {
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&t, NULL, thread, NULL);
    int result = pthread_spin_trylock(&spin);
    assert(result == 0 || result == EBUSY);
    if (result == 0)
        pthread_spin_unlock(&spin);
    pthread_join(t, NULL);
    pthread_spin_destroy(&spin);
    return 0;
}
