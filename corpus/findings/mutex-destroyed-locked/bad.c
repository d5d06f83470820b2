// A mutex destroyed while a thread may hold it.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex;
static atomic_int started;

static void *thread(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    atomic_store(&started, 1);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_mutex_init(&mutex, NULL);
    pthread_create(&t, NULL, thread, NULL);
    int over = atomic_load(&started);
    if (over)
        pthread_mutex_destroy(&mutex); // BUG: mutex-destroyed-locked
    pthread_join(t, NULL);
    if (!over)
        pthread_mutex_destroy(&mutex);
    return 0;
}
