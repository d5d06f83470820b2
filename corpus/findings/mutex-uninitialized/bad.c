// A mutex in a heap block that nobody initialises.
#include <pthread.h>
#include <stdlib.h>

struct account {
    pthread_mutex_t mutex;
    int balance;
};

static void *deposit(void *arg) {
    struct account *account = arg;
    pthread_mutex_lock(&account->mutex); // BUG: mutex-uninitialized
    account->balance++;
    pthread_mutex_unlock(&account->mutex); // BUG: mutex-uninitialized
    return NULL;
}

int main(void) {
    struct account *account = malloc(sizeof *account);
    account->balance = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, deposit, account);
    pthread_join(thread, NULL);
    free(account);
    return 0;
}
