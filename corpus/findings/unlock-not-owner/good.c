// A hand-over with a condition variable; each thread unlocks what it locked.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int handed_over;

static void *thread(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    handed_over = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&mutex);
    pthread_create(&t, NULL, thread, NULL);
    while (!handed_over)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}
