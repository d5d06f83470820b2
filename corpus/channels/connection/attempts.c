// A server that does not wait looks whether a client has connected, which it may or may not have done by then.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int end;
static struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0attempts"};

static void *client(void *arg) {
    assert(connect(end, (struct sockaddr *)&name, sizeof name) == 0);
    return arg;
}

int main(void) {
    pthread_t thread;
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    end = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(bind(listener, (struct sockaddr *)&name, sizeof name) == 0 && listen(listener, 1) == 0);
    pthread_create(&thread, NULL, client, NULL);
    int accepted = accept(listener, NULL, NULL);
#ifdef SURE
    assert(accepted >= 0); // BUG: assertion
#else
    assert(accepted >= 0 || errno == EAGAIN);
#endif
    pthread_join(thread, NULL);
    return 0;
}
