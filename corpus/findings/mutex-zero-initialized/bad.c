// A mutex in a structure with static storage, of which only the other member has an initialiser: zeros are enough for
// this C library, and for no standard.
#include <pthread.h>

static struct {
    int balance;
    pthread_mutex_t mutex;
} account = {.balance = 1};

static void *deposit(void *arg) {
    pthread_mutex_lock(&account.mutex); // BUG: mutex-zero-initialized
    account.balance++;
    pthread_mutex_unlock(&account.mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, deposit, NULL);
    pthread_join(thread, NULL);
    return 0;
}
