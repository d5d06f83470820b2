// The same with the mutex unlocked on every path.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int budget = 1;

static int spend(void) {
    int result = -1;
    pthread_mutex_lock(&mutex);
    if (budget > 0) {
        budget--;
        result = 0;
    }
    pthread_mutex_unlock(&mutex);
    return result;
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
