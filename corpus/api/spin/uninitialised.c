// A spin lock without a call that initialises it.
#include <pthread.h>

static pthread_spinlock_t spin;

int main(void) {
    pthread_spin_lock(&spin); // BUG: mutex-uninitialized
    pthread_spin_unlock(&spin); // BUG: mutex-uninitialized
    return 0;
}
