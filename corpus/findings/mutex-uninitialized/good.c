// The mutex is initialised and destroyed; others are initialised by an initialiser, as a global and by assignment.
#include <pthread.h>
#include <stdlib.h>

struct account {
    pthread_mutex_t mutex, copy;
    int balance;
};

static pthread_mutex_t global = PTHREAD_MUTEX_INITIALIZER;

static void *deposit(void *arg) {
    struct account *account = arg;
    pthread_mutex_lock(&account->mutex);
    pthread_mutex_lock(&account->copy);
    pthread_mutex_lock(&global);
    account->balance++;
    pthread_mutex_unlock(&global);
    pthread_mutex_unlock(&account->copy);
    pthread_mutex_unlock(&account->mutex);
    return NULL;
}

int main(void) {
    struct account *account = malloc(sizeof *account);
    account->balance = 0;
    pthread_mutex_init(&account->mutex, NULL);
    account->copy = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread;
    pthread_create(&thread, NULL, deposit, account);
    pthread_join(thread, NULL);
    pthread_mutex_destroy(&account->mutex);
    free(account);
    return 0;
}
