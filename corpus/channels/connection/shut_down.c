// A thread waits for connections until the socket that listens is shut down, or for ever.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int listener;
static struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "down.sock"};

static void *server(void *arg) {
    for (;;) {
        int end = accept(listener, NULL, NULL); // BUG: deadlock
        if (end < 0) break;
        close(end);
    }
    assert(errno == EINVAL);
    return arg;
}

int main(void) {
    pthread_t thread;
    int end = socket(AF_UNIX, SOCK_STREAM, 0);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(bind(listener, (struct sockaddr *)&name, sizeof name) == 0 && listen(listener, 1) == 0);
    pthread_create(&thread, NULL, server, NULL);
    assert(connect(end, (struct sockaddr *)&name, sizeof name) == 0);
#ifndef NEVER
    assert(shutdown(listener, SHUT_RDWR) == 0);
#endif
    pthread_join(thread, NULL);
    return 0;
}
