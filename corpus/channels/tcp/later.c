// A client that does not wait begins to connect, polls until that is done, and sends. It must not take the connection for
// refused, nor for made, before it has asked.
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener;

static void *server(void *arg) {
    char byte;
    int end = accept(listener, NULL, NULL);
    assert(end >= 0 && read(end, &byte, 1) == 1 && byte == 'x');
    assert(read(end, &byte, 1) == 0);
    return arg;
}

int main(void) {
    pthread_t thread;
    struct sockaddr_in name = {.sin_family = AF_INET};
    socklen_t len = sizeof name;
    int error = -1;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    assert(bind(listener, (struct sockaddr *)&name, sizeof name) == 0 && listen(listener, 1) == 0);
    assert(getsockname(listener, (struct sockaddr *)&name, &len) == 0);
    int end = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    pthread_create(&thread, NULL, server, NULL);
    int result = connect(end, (struct sockaddr *)&name, sizeof name);
#ifdef SURE
    assert(result == 0); // BUG: assertion
#endif
    assert(result == -1 && errno == EINPROGRESS);
    struct pollfd polled = {.fd = end, .events = POLLOUT};
    assert(poll(&polled, 1, -1) == 1 && polled.revents == POLLOUT);
    len = sizeof error;
    assert(getsockopt(end, SOL_SOCKET, SO_ERROR, &error, &len) == 0 && error == 0);
    assert(write(end, "x", 1) == 1 && shutdown(end, SHUT_WR) == 0);
    pthread_join(thread, NULL);
    return 0;
}
