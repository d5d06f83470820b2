// Two events are one if nobody reads in between: a second read waits for ever. As a semaphore, each is read.
#include <assert.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#ifdef UNITS
enum { FLAGS = EFD_SEMAPHORE };
#else
enum { FLAGS = 0 };
#endif
static int events;

static void *reader(void *arg) {
    eventfd_t count;
    eventfd_read(events, &count);
    eventfd_read(events, &count); // BUG: deadlock
    return arg;
}

int main(void) {
    pthread_t thread;
    events = eventfd(0, FLAGS);
    pthread_create(&thread, NULL, reader, NULL);
    eventfd_write(events, 1);
    eventfd_write(events, 1);
    pthread_join(thread, NULL);
    return 0;
}
