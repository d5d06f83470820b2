// The other socket is closed with data unread while a call waits for room: Linux says so to the call that waits.
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];
static char bytes[36000];

static void *closes(void *unused) {
    close(ends[1]);
    return unused;
}

int main(void) {
    pthread_t thread;
#ifdef IGNORED
    signal(SIGPIPE, SIG_IGN);
#endif
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    while (send(ends[0], bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
    }
    while (send(ends[0], bytes, 1, MSG_DONTWAIT) > 0) {
    }
    pthread_create(&thread, 0, closes, 0);
    send(ends[0], bytes, 1, 0); // BUG: crash
    pthread_join(thread, 0);
}
