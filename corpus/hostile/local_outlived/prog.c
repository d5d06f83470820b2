// A thread writes to a local variable of a function that may have returned: what it hits belongs to another one.
#include <assert.h>
#include <pthread.h>

static pthread_t thread;

static void *write(void *variable) {
    ++*(int *)variable; // BUG: data-race
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
    begin();
    other();
#ifndef JOINS
    pthread_join(thread, NULL);
#endif
    return 0;
}
