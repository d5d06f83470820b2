// A pipe is watched for edges, and a thread waits for its data in a read: Linux wakes who watches it once more where the
// read had to wait and has left data.
#include <assert.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *arg) {
    char byte;
    assert(read(ends[0], &byte, 1) == 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    int instance = epoll_create1(0);
    assert(pipe(ends) == 0);
    struct epoll_event event = {EPOLLIN | EPOLLET, {.fd = ends[0]}};
    assert(epoll_ctl(instance, EPOLL_CTL_ADD, ends[0], &event) == 0);
    pthread_create(&thread, NULL, reader, NULL);
    write(ends[1], "xy", LENGTH);
    pthread_join(thread, NULL);
    return 0;
}
