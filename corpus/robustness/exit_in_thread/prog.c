// A thread ends the process in the middle of everything, holding a mutex.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *leaver(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    exit(x);
}

static void *worker(void *arg) {
    pthread_mutex_lock(&mutex);
    x = 0;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, leaver, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 1;
}
