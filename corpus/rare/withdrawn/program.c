// Two threads take money from one account of BALANCE, one unit at a time: each looks whether there is enough, and takes
// it in a second step. Only the last unit is wrong to be taken twice, so each must have looked when one unit was left.
#include <assert.h>
#include <pthread.h>

#include "../noise.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = BALANCE;

static void *withdraw(void *unused) {
    make_noise();
    for (int i = 0; i < BALANCE; i++) {
        pthread_mutex_lock(&lock);
        int enough = balance > 0;
#ifndef CORRECT
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
#endif
        if (enough)
            balance--;
        assert(balance >= 0); // BUG: assertion
        pthread_mutex_unlock(&lock);
    }
    make_noise();
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, withdraw, NULL);
    pthread_create(&other, NULL, withdraw, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    pthread_mutex_destroy(&lock);
    return 0;
}
