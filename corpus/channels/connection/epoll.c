// A server waits for events of its listening socket and of the connections that it has accepted, until it has answered a
// request on one of them.
#include <assert.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int instance, listener, end;
static struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0epoll"};

static void watch(int fd) {
    struct epoll_event event = {EPOLLIN, {.fd = fd}};
    assert(epoll_ctl(instance, EPOLL_CTL_ADD, fd, &event) == 0);
}

static void *client(void *arg) {
    char byte = 'a';
    assert(connect(end, (struct sockaddr *)&name, sizeof name) == 0);
    assert(write(end, &byte, 1) == 1 && read(end, &byte, 1) == 1 && byte == 'b');
    return arg;
}

int main(void) {
    pthread_t thread;
    struct epoll_event found;
    char byte;
    instance = epoll_create1(0);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    end = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(bind(listener, (struct sockaddr *)&name, sizeof name) == 0 && listen(listener, 1) == 0);
    watch(listener);
    pthread_create(&thread, NULL, client, NULL);
    for (;;) {
        assert(epoll_wait(instance, &found, 1, -1) == 1 && found.events == EPOLLIN);
        if (found.data.fd != listener) break;
        watch(accept(listener, NULL, NULL));
    }
    assert(read(found.data.fd, &byte, 1) == 1 && byte == 'a');
    byte++;
    assert(write(found.data.fd, &byte, 1) == 1);
    pthread_join(thread, NULL);
    return 0;
}
