// Two workers take requests from one socket. Without EPOLLONESHOT one event wakes both, and each of them changes the
// state of the connection. With it the worker that has the event has the connection, until it watches it again.
#include <assert.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct connection {
    int fd, requests;
};

static int instance, client;
#ifdef ONE_SHOT
#define EVENTS (EPOLLIN | EPOLLONESHOT)
#else
#define EVENTS EPOLLIN
#endif

static void *worker(void *arg) {
    struct epoll_event event;
    char request;
    assert(epoll_wait(instance, &event, 1, -1) == 1);
    struct connection *connection = event.data.ptr;
    if (recv(connection->fd, &request, 1, MSG_DONTWAIT) == 1) connection->requests++; // BUG: data-race(requests)
    event.events = EVENTS;
    epoll_ctl(instance, EPOLL_CTL_MOD, connection->fd, &event);
    return arg;
}

int main(void) {
    int ends[2];
    pthread_t threads[2];
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    client = ends[1];
    instance = epoll_create1(0);
    struct connection connection = {.fd = ends[0]};
    struct epoll_event event = {EVENTS, {.ptr = &connection}};
    send(client, "ab", 2, 0);
    assert(epoll_ctl(instance, EPOLL_CTL_ADD, ends[0], &event) == 0);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(connection.requests == 2);
    return 0;
}
