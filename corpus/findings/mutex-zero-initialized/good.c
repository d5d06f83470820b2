// Each mutex with static storage has an initialiser, is initialised by a call, or is written over by an initialiser.
#include <pthread.h>
#include <threads.h>

static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int balance;
    pthread_mutex_t mutex;
} account = {.mutex = PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t several[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t by_call, assigned;
static mtx_t of_c11;

static void *deposit(void *arg) {
    pthread_mutex_t *mutexes[] = {&alone, &account.mutex, &several[0], &several[1], &by_call, &assigned};
    for (int at = 0; at < 6; at++) {
        pthread_mutex_lock(mutexes[at]);
        account.balance++;
        pthread_mutex_unlock(mutexes[at]);
    }
    mtx_lock(&of_c11);
    mtx_unlock(&of_c11);
    return arg;
}

int main(void) {
    pthread_mutex_init(&by_call, NULL);
    assigned = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    mtx_init(&of_c11, mtx_plain);
    pthread_t thread;
    pthread_create(&thread, NULL, deposit, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_destroy(&by_call);
    mtx_destroy(&of_c11);
    return 0;
}
