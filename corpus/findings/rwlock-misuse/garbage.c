// A lock in memory that nobody has initialised.
#include <string.h>
#include <pthread.h>

int main(void) {
    pthread_rwlock_t lock;
    memset(&lock, 0x55, sizeof lock);
    pthread_rwlock_rdlock(&lock); // BUG: rwlock-misuse
    return 0;
}
