// The same, initialised.
#include <string.h>
#include <pthread.h>

int main(void) {
    pthread_rwlock_t lock;
    memset(&lock, 0x55, sizeof lock);
    pthread_rwlock_init(&lock, NULL);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    return 0;
}
