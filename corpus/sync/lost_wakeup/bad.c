// A lost wake-up: the waiter looks at the flag without the mutex, so the signal may come between the look and the wait.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *waiter(void *arg) {
    (void)arg;
    if (!atomic_load(&ready)) {
        pthread_mutex_lock(&mutex);
        pthread_cond_wait(&changed, &mutex); // BUG: deadlock
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static void *signaller(void *arg) {
    (void)arg;
    atomic_store(&ready, 1);
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, signaller, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
