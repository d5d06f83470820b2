// One thread takes three locks, each within the one before; another one, after DELAY operations, takes the last of them
// and then the first. With LAST_ALONE it gives the last one back before it takes the first.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;
static atomic_int work;

static void *down(void *unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&c); // BUG: deadlock
    pthread_mutex_unlock(&c);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *up(void *unused) {
    for (int i = 0; i < DELAY; i++)
        atomic_fetch_add(&work, 1);
    pthread_mutex_lock(&c);
#ifdef LAST_ALONE
    pthread_mutex_unlock(&c);
#endif
    pthread_mutex_lock(&a); // BUG: deadlock
    pthread_mutex_unlock(&a);
#ifndef LAST_ALONE
    pthread_mutex_unlock(&c);
#endif
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&other, NULL, up, NULL);
    pthread_create(&one, NULL, down, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    pthread_mutex_destroy(&a);
    pthread_mutex_destroy(&b);
    pthread_mutex_destroy(&c);
    return 0;
}
