// A thread writes to a local variable of a function that may have returned: what it hits belongs to another one.
#include <assert.h>
#include <pthread.h>

static pthread_t thread;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *write(void *variable) {
#ifdef ORDERED
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
#endif
    ++*(int *)variable; // BUG: data-race BUG: stack-use-after-return
    return NULL;
}

static void begin(void) {
    int local = 1;
    pthread_create(&thread, NULL, write, &local);
#ifdef JOINS
    pthread_join(thread, NULL);
#endif
} // BUG: data-race

static void other(void) {
    volatile int local = 5;
    local = local + 1;
    assert(local == 6);
}

int main(void) {
    pthread_mutex_lock(&mutex);
    begin();
    pthread_mutex_unlock(&mutex);
    other();
#ifndef JOINS
    pthread_join(thread, NULL);
#endif
    return 0;
}
