// The socket that listens is closed while a client connects: the connection is refused, or made and then reset, as
// nobody has accepted it.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int end;
static struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "closed.sock"};

static void *client(void *arg) {
    char byte;
    if (connect(end, (struct sockaddr *)&name, sizeof name) == 0) {
        assert(read(end, &byte, 1) == -1 && errno == ECONNRESET);
        assert(read(end, &byte, 1) == 0);
    } else {
        assert(errno == ECONNREFUSED);
#ifdef SURE
        assert(0); // BUG: assertion
#endif
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    end = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(bind(listener, (struct sockaddr *)&name, sizeof name) == 0 && listen(listener, 1) == 0);
    pthread_create(&thread, NULL, client, NULL);
    assert(close(listener) == 0);
    pthread_join(thread, NULL);
    return 0;
}
