// A server polls for connections, and for the word that there will be no more, which may come before it has accepted the
// last one: it has to look for connections first.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int listener, over, end, accepted;
static struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0poll"};

static void *server(void *arg) {
    for (;;) {
        struct pollfd polled[2] = {{.fd = listener, .events = POLLIN}, {.fd = over, .events = POLLIN}};
        assert(poll(polled, 2, -1) > 0);
#ifdef LEAVES_EARLY
        if (polled[1].revents) break;
#endif
        if (polled[0].revents) {
            assert(polled[0].revents == POLLIN && accept(listener, NULL, NULL) >= 0);
            accepted++;
        } else if (polled[1].revents) {
            break;
        }
    }
    return arg;
}

static void *client(void *arg) {
    assert(connect(end, (struct sockaddr *)&name, sizeof name) == 0);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    uint64_t one = 1;
    over = eventfd(0, 0);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    end = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(bind(listener, (struct sockaddr *)&name, sizeof name) == 0 && listen(listener, 1) == 0);
    pthread_create(&threads[0], NULL, server, NULL);
    pthread_create(&threads[1], NULL, client, NULL);
    pthread_join(threads[1], NULL);
    assert(write(over, &one, 8) == 8);
    pthread_join(threads[0], NULL);
    assert(accepted == 1); // BUG: assertion
    return 0;
}
