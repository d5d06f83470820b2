// Must not be parked for good: a round that holds two mutexes at a time can be met between the two.
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void *poller(void *arg) {
    int seen;
    do {
        pthread_mutex_lock(&first);
        pthread_mutex_lock(&second);
        seen = ready;
        pthread_mutex_unlock(&second);
        pthread_mutex_unlock(&first);
    } while (!seen);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, poller, NULL);
    pthread_mutex_lock(&second);
    pthread_mutex_lock(&first); // BUG: deadlock
    ready = 1;
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    pthread_join(thread, NULL);
    return 0;
}
