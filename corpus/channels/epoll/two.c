// A thread waits for events of two pipes, and each of two others writes to one of them.
#include <assert.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static int pipes[2][2];

static void *writer(void *end) {
    write(*(int *)end, "x", 1);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    struct epoll_event found[2];
    int instance = epoll_create1(0);
    for (int i = 0; i < 2; i++) {
        assert(pipe(pipes[i]) == 0);
        struct epoll_event event = {EPOLLIN, {.fd = i}};
        assert(epoll_ctl(instance, EPOLL_CTL_ADD, pipes[i][0], &event) == 0);
    }
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, writer, &pipes[i][1]);
    int count = epoll_wait(instance, found, 2, -1);
    assert(count == 1 || (count == 2 && found[0].data.fd != found[1].data.fd));
#ifdef FIRST
    assert(found[0].data.fd == 0); // BUG: assertion
#endif
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
