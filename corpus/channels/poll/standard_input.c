// Standard input is a file or empty in each run: always ready, whatever end.
#include <assert.h>
#include <poll.h>
#include <pthread.h>

static void *thread(void *argument) {
    struct pollfd fds[3] = {{.fd = 0, .events = POLLIN | POLLOUT}, {.fd = 1, .events = 0}, {.fd = 2, .events = POLLOUT}};
    assert(poll(fds, 3, 0) == 2);
    assert(fds[0].revents == (POLLIN | POLLOUT) && fds[1].revents == 0 && fds[2].revents == POLLOUT);
    return argument;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, thread, 0);
    thread(0);
    pthread_join(other, 0);
    return 0;
}
