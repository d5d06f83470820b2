// A failed attempt to lock and a relaxed update order nothing.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *runs(void *arg) {
#ifdef TRIES
    if (pthread_mutex_trylock(&mutex) == 0)
        pthread_mutex_unlock(&mutex);
#elif defined RELAXED
    atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
#else
    atomic_fetch_add(&flag, 1);
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, runs, NULL);
    runs(NULL);
    pthread_join(thread, NULL);
    return 0;
}
