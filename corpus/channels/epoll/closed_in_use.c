// Main closes an instance while a thread waits for its events.
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static int instance;

static void *waiter(void *arg) {
    struct epoll_event found;
    epoll_wait(instance, &found, 1, -1);
    return arg;
}

int main(void) {
    pthread_t thread;
    instance = epoll_create1(0);
    pthread_create(&thread, NULL, waiter, NULL);
    close(instance);
    pthread_join(thread, NULL);
    return 0;
}
