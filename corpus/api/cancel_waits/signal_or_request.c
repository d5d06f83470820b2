// A waiter that a signal and a request reach: if the signal wakes it, it goes on with the request pending; if it has left
// because of the request, the signal wakes the other waiter.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int items, taken;

static void unlock(void *arg) {
    pthread_mutex_unlock(arg);
}

static void *taker(void *arg) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    while (items == 0) {
        pthread_cond_wait(&cond, &mutex);
    }
    items--;
    taken++;
    pthread_cleanup_pop(1);
    return arg;
}

int main(void) {
    pthread_t first, second;
    void *result;
    pthread_create(&first, NULL, taker, NULL);
    pthread_create(&second, NULL, taker, NULL);
    pthread_cancel(first);
    pthread_mutex_lock(&mutex);
    items = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    pthread_join(first, &result);
    if (result != PTHREAD_CANCELED) {
        pthread_mutex_lock(&mutex);
        items++;
        pthread_cond_signal(&cond);
        pthread_mutex_unlock(&mutex);
    }
    pthread_join(second, NULL);
    assert(taken == (result == PTHREAD_CANCELED ? 1 : 2));
    return 0;
}
