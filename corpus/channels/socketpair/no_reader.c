// A message to a socket that was closed sends SIGPIPE, which ends the process, unless the sender says otherwise.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void *sender(void *arg) {
#ifdef NO_SIGNAL
    assert(send(ends[1], "x", 1, MSG_NOSIGNAL) == 1 || errno == EPIPE);
#else
    send(ends[1], "x", 1, 0); // BUG: crash
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    pthread_create(&thread, NULL, sender, NULL);
    close(ends[0]);
    pthread_join(thread, NULL);
    return 0;
}
