// A counter of one unit excludes like a mutex.
#include <assert.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int units, count;

static void *adds(void *arg) {
    eventfd_t unit;
#ifndef UNLOCKED
    assert(eventfd_read(units, &unit) == 0 && unit == 1);
#endif
    count++; // BUG: data-race(count)
    assert(eventfd_write(units, 1) == 0);
    return arg;
}

int main(void) {
    pthread_t a, b;
    units = eventfd(1, EFD_SEMAPHORE);
    pthread_create(&a, NULL, adds, NULL);
    pthread_create(&b, NULL, adds, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(count == 2);
    return 0;
}
