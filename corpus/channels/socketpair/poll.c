// poll waits for either of two sockets: which has a message then depends on who sent first.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

static int one[2], two[2];

static void *sender(void *arg) {
    send(*(int *)arg, "x", 1, 0);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, one) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, two) == 0);
    pthread_create(&first, NULL, sender, &one[1]);
    pthread_create(&second, NULL, sender, &two[1]);
    struct pollfd polled[2] = {{one[0], POLLIN, 0}, {two[0], POLLIN, 0}};
    int count = poll(polled, 2, -1);
    assert(count == (polled[0].revents != 0) + (polled[1].revents != 0) && count > 0);
#ifdef FIRST
    assert(polled[0].revents == POLLIN); // BUG: assertion
#endif
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
