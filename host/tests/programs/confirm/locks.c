// Two threads take two mutexes in different orders. With GATE, a third mutex keeps them apart.
#include <pthread.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;

static void enter(void) {
#ifdef GATE
    pthread_mutex_lock(&gate);
#endif
}

static void leave(void) {
#ifdef GATE
    pthread_mutex_unlock(&gate);
#endif
}

static void *one(void *arg) {
    enter();
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second); // BUG: deadlock
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    leave();
    return arg;
}

static void *other(void *arg) {
    enter();
    pthread_mutex_lock(&second);
    pthread_mutex_lock(&first); // BUG: deadlock
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    leave();
    return arg;
}

int main(void) {
    pthread_t a, b;
    (void)gate;
    pthread_create(&a, 0, one, 0);
#ifndef TOGETHER
    pthread_join(a, 0);
#endif
    pthread_create(&b, 0, other, 0);
#ifdef TOGETHER
    pthread_join(a, 0);
#endif
    pthread_join(b, 0);
    return 0;
}
