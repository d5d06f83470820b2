// Calls that block or signal between threads and are not modelled: each has to be named.
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

int descriptors[2];

static void *thread(void *arg) {
#if defined USE_SOCKETS
    if (write(descriptors[1], "x", 1) != 1)
        return descriptors;
#endif
    return arg;
}

int main(void) {
    pthread_t a, b;
#if defined USE_SOCKETS
    descriptors[1] = socket(AF_UNIX, SOCK_DGRAM, 0);
#endif
    pthread_create(&a, NULL, thread, NULL);
    pthread_create(&b, NULL, thread, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
