// What is not modelled of connections: each has to be named.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef FAMILY
#define FAMILY AF_UNIX
#endif
#ifndef KIND
#define KIND SOCK_STREAM
#endif

static int listener, end;
static struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0refused"};

static void *other(void *arg) {
#if defined CLOSED_IN_USE || defined LISTENS_AGAIN
    accept(listener, NULL, NULL);
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
    listener = socket(FAMILY, KIND | SOCK_NONBLOCK, 0);
    end = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (listener < 0 || end < 0)
        return 1;
#ifdef NAMELESS
    bind(listener, (struct sockaddr *)&name, 2);
#endif
    bind(listener, (struct sockaddr *)&name, sizeof name);
    listen(listener, 0);
    pthread_create(&thread, NULL, other, NULL);
#if defined CLOSED_IN_USE
    close(listener);
#elif defined LISTENS_AGAIN
    listen(listener, 1);
#elif defined SHUT_DOWN_FRESH
    shutdown(end, SHUT_RDWR);
#elif defined SHUT_DOWN_FULL
    connect(end, (struct sockaddr *)&name, sizeof name);
    shutdown(listener, SHUT_RDWR);
#elif defined OPTION
    int size = 4096;
    setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
#elif defined CONNECTED
    connect(end, (struct sockaddr *)&name, sizeof name);
    bind(end, (struct sockaddr *)&name, sizeof name);
#endif
    pthread_join(thread, NULL);
    return 0;
}
