// Two clients connect with a socket that listens, whose queue has room for one connection or for both, and the thread
// that has made all sockets accepts them. Without anybody to accept, a client waits for room for ever.
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef BACKLOG
#define BACKLOG 0
#endif

static int ends[2];
static struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0queue"};

static void *client(void *arg) {
    assert(connect(*(int *)arg, (struct sockaddr *)&name, 8) == 0); // BUG: deadlock
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(bind(listener, (struct sockaddr *)&name, 8) == 0 && listen(listener, BACKLOG) == 0);
    for (int i = 0; i < 2; i++) ends[i] = socket(AF_UNIX, SOCK_STREAM, 0);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, client, &ends[i]);
#ifndef NOBODY_ACCEPTS
    for (int i = 0; i < 2; i++) assert(accept(listener, NULL, NULL) >= 0);
#endif
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
