// Synchronisation objects and their memory: each WHAT is one thing that a program does to it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct account {
    pthread_mutex_t mutex;
    int balance;
};

#if WHAT == 1 // destroyed after its memory was given back
int main(void) {
    struct account *account = malloc(sizeof *account);
    pthread_mutex_init(&account->mutex, NULL);
    free(account);
    pthread_mutex_destroy(&account->mutex); // BUG: heap-use-after-free
    return 0;
}
#elif WHAT == 2 // the block is too small
int main(void) {
    pthread_cond_t *cond = malloc(sizeof *cond / 2);
    pthread_cond_init(cond, NULL); // BUG: heap-overflow
    pthread_cond_destroy(cond);    // BUG: heap-overflow
    return 0;
}
#elif WHAT == 3 // destroyed while another thread overwrites the account
static void *clear(void *account) {
    memset(account, 0, sizeof(struct account)); // BUG: data-race
    return NULL;
}

int main(void) {
    static struct account account;
    pthread_t thread;
    pthread_mutex_init(&account.mutex, NULL); // BUG: mutex-not-destroyed
    pthread_create(&thread, NULL, clear, &account);
    pthread_mutex_destroy(&account.mutex); // BUG: data-race
    pthread_join(thread, NULL);
    return 0;
}
#elif WHAT == 4 // a call leaves its own mutex locked
static int call(int depth) {
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, NULL); // BUG: mutex-not-destroyed
    pthread_mutex_lock(&mutex);
    return depth == 0 ? 0 : call(depth - 1) + 1;
}

int main(void) {
    for (int i = 0; i < 3; i++)
        assert(call(i) == i);
    return 0;
}
#elif WHAT == 5 // overwritten while it is held
int main(void) {
    static struct account account;
    const struct account fresh = {PTHREAD_MUTEX_INITIALIZER, 1};
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&account.mutex); // BUG: mutex-zero-initialized
        if (i == 1)
            account = fresh;
        else
            memset(&account, 0, sizeof account);
    }
    pthread_mutex_lock(&account.mutex); // BUG: mutex-zero-initialized
    pthread_mutex_unlock(&account.mutex);
    return 0;
}
#elif WHAT == 6 // copied while it is held
int main(void) {
    struct account account = {PTHREAD_MUTEX_INITIALIZER, 1}, copy;
    pthread_mutex_lock(&account.mutex);
    copy = account;
    pthread_mutex_unlock(&account.mutex);
    pthread_mutex_lock(&copy.mutex); // BUG: deadlock
    pthread_mutex_unlock(&copy.mutex);
    return 0;
}
#elif WHAT == 7 // copied while nobody holds it
int main(void) {
    struct account account, copy;
    pthread_mutex_init(&account.mutex, NULL);
    account.balance = 1;
    pthread_mutex_lock(&account.mutex);
    pthread_mutex_unlock(&account.mutex);
    copy = account;
    pthread_mutex_lock(&copy.mutex);
    pthread_mutex_unlock(&copy.mutex);
    pthread_mutex_destroy(&account.mutex);
    return 0;
}
#endif
