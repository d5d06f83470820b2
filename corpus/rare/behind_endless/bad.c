// A thread counts on and on. Two others take two locks in opposite orders, and block each other if each has taken one.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint ticks;

static void *tick(void *unused) {
    while (atomic_fetch_add(&ticks, 1) != 4000000000u)
        ;
    return unused;
}

static void *forth(void *unused) {
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second); // BUG: lost-thread
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    return unused;
}

static void *back(void *unused) {
    pthread_mutex_lock(&second);
    pthread_mutex_lock(&first); // BUG: lost-thread
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    return unused;
}

int main(void) {
    pthread_t ticker, one, other;
    pthread_create(&ticker, NULL, tick, NULL);
    pthread_create(&one, NULL, forth, NULL);
    pthread_create(&other, NULL, back, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
