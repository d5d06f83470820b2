// A function that locks calls another one that locks as well.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int total;

static int read_total(void) {
    pthread_mutex_lock(&mutex); // BUG: mutex-relock deadlock
    int copy = total;
    pthread_mutex_unlock(&mutex);
    return copy;
}

static void *thread(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    total = read_total() + 1;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return 0;
}
