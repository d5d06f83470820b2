// Data is handed over by a volatile flag, as old code does it: by C11 a data race, and correct where volatile accesses are
// atomic and sequentially consistent. With LATE the flag comes before the data, which no option makes right.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int flag;
static int data;

static void *writer(void *arg) {
#ifdef LATE
    flag = 1;
    data = 42; // BUG: data-race(data)
#else
    data = 42; // BUG: data-race(data)
    flag = 1;  // BUG: data-race(flag)
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    while (!flag)
        ;
    int seen = data;
#ifndef LATE
    assert(seen == 42);
#endif
    pthread_join(thread, NULL);
    return seen - seen;
}
