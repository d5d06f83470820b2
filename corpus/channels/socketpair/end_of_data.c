// A client sends a request that has no length: the server reads to the end of the data, which only shutdown makes.
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void *server(void *arg) {
    char byte, count = 0;
    while (read(ends[1], &byte, 1) == 1) // BUG: deadlock
        count++;
    assert(send(ends[1], &count, 1, 0) == 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    char count = 0;
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    pthread_create(&thread, NULL, server, NULL);
    assert(send(ends[0], "ab", 2, 0) == 2);
#ifdef SHUT_DOWN
    assert(shutdown(ends[0], SHUT_WR) == 0);
#endif
    assert(recv(ends[0], &count, 1, 0) == 1 && count == 2); // BUG: deadlock
    pthread_join(thread, NULL);
    return 0;
}
