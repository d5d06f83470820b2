// Must be woken when others use the mutex: a thread that tries to take it notices each look of the loop.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void *poller(void *arg) {
    int seen;
    do {
        pthread_mutex_lock(&mutex);
        seen = ready;
        pthread_mutex_unlock(&mutex);
    } while (!seen);
    return arg;
}

int main(void) {
    pthread_t thread;
    int outcome = 0;
    pthread_create(&thread, NULL, poller, NULL);
    for (int i = 0; i < 3; i++) {
        int failed = pthread_mutex_trylock(&mutex) != 0;
        if (!failed)
            pthread_mutex_unlock(&mutex);
        outcome = 2 * outcome + failed;
    }
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    assert(outcome != OUTCOME); // BUG: assertion
    return 0;
}
