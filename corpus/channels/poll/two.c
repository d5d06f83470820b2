// A thread polls two pipes, and each of two others writes to one of them.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int pipes[2][2];

static void *writer(void *end) {
    write(*(int *)end, "x", 1);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    struct pollfd polled[2];
    for (int i = 0; i < 2; i++) {
        assert(pipe(pipes[i]) == 0);
        polled[i] = (struct pollfd){.fd = pipes[i][0], .events = POLLIN};
    }
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, writer, &pipes[i][1]);
    int count = poll(polled, 2, -1);
    assert(count == (polled[0].revents == POLLIN) + (polled[1].revents == POLLIN));
#ifdef FIRST
    assert(polled[0].revents == POLLIN); // BUG: assertion
#else
    assert(count == 1 || count == 2);
#endif
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
