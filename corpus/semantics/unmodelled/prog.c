// Calls that block or signal between threads and are not modelled: each has to be named.
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

int descriptors[2];

static void *thread(void *arg) {
#if defined USE_PIPE
    if (write(descriptors[1], "x", 1) != 1)
        return descriptors;
#elif defined USE_EVENTFD
    if (eventfd_write(descriptors[0], 1) != 0)
        return descriptors;
#endif
    return arg;
}

int main(void) {
    pthread_t a, b;
#if defined USE_PIPE
    if (pipe(descriptors) != 0)
        return 1;
#elif defined USE_EVENTFD
    descriptors[0] = eventfd(0, 0);
#endif
    pthread_create(&a, NULL, thread, NULL);
    pthread_create(&b, NULL, thread, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
