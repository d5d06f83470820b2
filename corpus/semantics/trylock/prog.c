// A trylock finds the mutex free or held, before or after the other thread had it.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *locker(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    x++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *trier(void *arg) {
    (void)arg;
    if (pthread_mutex_trylock(&mutex) == 0) {
        x++;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, locker, NULL);
    pthread_create(&b, NULL, trier, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
