// A write waits until the sum is below the largest number.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int events;

static void *writer(void *arg) {
    assert(eventfd_write(events, 1) == 0); // BUG: deadlock
    return arg;
}

int main(void) {
    pthread_t thread;
    eventfd_t count;
    events = eventfd(0, 0);
    assert(eventfd_write(events, UINT64_MAX - 1) == 0);
    pthread_create(&thread, NULL, writer, NULL);
#ifdef READS
    assert(eventfd_read(events, &count) == 0 && count == UINT64_MAX - 1);
    assert(eventfd_read(events, &count) == 0 && count == 1);
#endif
    pthread_join(thread, NULL);
    return 0;
}
