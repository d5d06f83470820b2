// What is not modelled of sockets: each has to be named.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int ends[2];

#ifndef KIND
#define KIND SOCK_STREAM
#endif

static void *other(void *arg) {
    char bytes[2];
#if defined PARTS
    recv(ends[1], bytes, 2, MSG_WAITALL);
#elif defined CLOSED_IN_USE
    recv(ends[0], bytes, 1, 0);
#else
    recv(ends[1], bytes, 1, MSG_DONTWAIT);
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
    if (socketpair(AF_UNIX, KIND, 0, ends) != 0)
        return 1;
    pthread_create(&thread, NULL, other, NULL);
#if defined CONTROL
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {.header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
    struct iovec piece = {"x", 1};
    struct msghdr message = {NULL, 0, &piece, 1, &control, sizeof control, 0};
    sendmsg(ends[0], &message, 0);
#elif defined OUT_OF_BAND
    send(ends[0], "x", 1, MSG_OOB);
#elif defined PARTS
    send(ends[0], "x", 1, 0);
    send(ends[0], "y", 1, 0);
#elif defined CLOSED_IN_USE
    close(ends[0]);
    close(ends[1]);
#elif defined STREAM
    fdopen(ends[0], "w");
#elif defined OPTION
    int size = 4096;
    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
#endif
    pthread_join(thread, NULL);
    return 0;
}
