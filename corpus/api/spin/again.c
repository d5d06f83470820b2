// Locks a spin lock twice.
#include <pthread.h>

static pthread_spinlock_t spin;

int main(void) {
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&spin);
    pthread_spin_lock(&spin); // BUG: mutex-relock
    return 0;
}
