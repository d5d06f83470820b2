// A thread shuts a socket down in both directions, by which another one that reads from it ends. Who has seen the one
// direction shut through the same socket sees the other one shut as well; who looks before may not.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>

static int ends[2];

static void *worker(void *arg) {
    char byte;
#ifdef LOOKS_BEFORE
    assert(send(ends[0], "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE); // BUG: assertion
#endif
    assert(recv(ends[0], &byte, 1, 0) == 0);
    assert(send(ends[0], "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
    return arg;
}

int main(void) {
    pthread_t thread;
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    pthread_create(&thread, NULL, worker, NULL);
    assert(shutdown(ends[0], SHUT_RDWR) == 0);
    pthread_join(thread, NULL);
    return 0;
}
