// An early return that leaves the mutex locked.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int budget = 1;

static int spend(void) {
    pthread_mutex_lock(&mutex); // BUG: deadlock
    if (budget == 0)
        return -1;
    budget--;
    pthread_mutex_unlock(&mutex);
    return 0;
}

static void *thread(void *arg) {
    (void)arg;
    spend();
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
