// Unlocks what another thread has locked.
#include <pthread.h>

static pthread_spinlock_t spin;

static void *thread(void *arg) {
    pthread_spin_unlock(&spin); // BUG: unlock-not-owner
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&spin);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    pthread_spin_destroy(&spin);
    return 0;
}
