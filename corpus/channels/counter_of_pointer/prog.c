// The address of a variable goes to another thread as the value of an event counter.
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>

static int counter;

static void *receiver(void *argument) {
    eventfd_t value;
    eventfd_read(counter, &value);
    *(int *)(uintptr_t)value = 1; // BUG: data-race
    return argument;
}

int main(void) {
    int variable = 0;
    pthread_t thread;
    counter = eventfd(0, 0);
    pthread_create(&thread, NULL, receiver, NULL);
    eventfd_write(counter, (uintptr_t)&variable);
#ifdef JOINED
    pthread_join(thread, NULL);
    return variable != 1;
#else
    variable = 2; // BUG: data-race
    pthread_join(thread, NULL);
    return 0;
#endif
}
