// A thread that never ends must not keep the others from running: their deadlock is three steps away.
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int ticks;

static void *clock_thread(void *arg) {
    for (;;) {
        pthread_mutex_lock(&first);
        ticks++;
        pthread_mutex_lock(&second); // BUG: deadlock
        pthread_mutex_unlock(&second);
        pthread_mutex_unlock(&first);
    }
    return arg;
}

static void *other(void *arg) {
    pthread_mutex_lock(&second);
    pthread_mutex_lock(&first);
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, clock_thread, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(b, NULL);
    pthread_join(a, NULL);
    return 0;
}
