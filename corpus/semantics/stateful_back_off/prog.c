// Two threads take two mutexes in opposite orders: a thread that does not get its second one gives the first one back
// and tries again. No execution ends that way for ever, and how often the threads try has no bound.
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int both;
static int one[2];

static void takes(int first) {
    pthread_mutex_t *a = &mutexes[first], *b = &mutexes[1 - first];
    for (;;) {
        pthread_mutex_lock(a);
        if (pthread_mutex_trylock(b) == 0)
            break;
        pthread_mutex_unlock(a);
#ifdef WRONG
        // A failed attempt tells that the other thread holds `b`, and orders nothing.
        one[1 - first] = 2; // BUG: data-race
#endif
        sched_yield();
    }
    one[first] = 1; // BUG: data-race
    both++;
    pthread_mutex_unlock(a);
    pthread_mutex_unlock(b);
}

static void *other(void *arg) {
    takes(1);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    takes(0);
    pthread_join(thread, NULL);
    return both != 2;
}
