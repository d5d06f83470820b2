// Threads that speak by UDP, each with what goes wrong in one order, and right.
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static struct sockaddr_in place(int port) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port)};
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return name;
}

static int bound(int port) {
    struct sockaddr_in name = place(port);
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    assert(fd >= 0 && bind(fd, (struct sockaddr *)&name, sizeof name) == 0);
    return fd;
}

static int connected(int own, int peer) {
    struct sockaddr_in name = place(peer);
    int fd = bound(own);
    assert(connect(fd, (struct sockaddr *)&name, sizeof name) == 0);
    return fd;
}

#if defined LATE
// The server binds its port after the client may have sent: the message is lost, and nobody answers. Right: before.
static void *client(void *unused) {
    int answer, fd = connected(20001, 20000);
    if (send(fd, "?", 1, 0) == 1)
        recv(fd, &answer, sizeof answer, 0);
    return NULL;
}

static void serve(int fd) {
    struct sockaddr_in from;
    socklen_t len = sizeof from;
    char question;
    assert(recvfrom(fd, &question, 1, 0, (struct sockaddr *)&from, &len) == 1); // BUG: deadlock
    assert(sendto(fd, "answer", 4, 0, (struct sockaddr *)&from, len) == 4);
}

int main(void) {
    pthread_t thread;
#ifdef RIGHT
    int fd = bound(20000);
    pthread_create(&thread, NULL, client, NULL);
#else
    pthread_create(&thread, NULL, client, NULL);
    int fd = bound(20000);
#endif
    serve(fd);
    pthread_join(thread, NULL);
    return 0;
}
#elif defined ORDER
// Messages of two senders are taken in either order. Right: they say which of them is which.
static void *sender(void *value) {
    struct sockaddr_in name = place(20000);
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    assert(sendto(fd, value, 1, 0, (struct sockaddr *)&name, sizeof name) == 1);
    close(fd);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    char got[2];
    int fd = bound(20000);
    pthread_create(&threads[0], NULL, sender, "a");
    pthread_create(&threads[1], NULL, sender, "b");
    for (int i = 0; i < 2; i++)
        assert(recv(fd, &got[i], 1, 0) == 1);
#ifdef RIGHT
    assert(got[0] + got[1] == 'a' + 'b');
#else
    assert(got[0] == 'a' && got[1] == 'b'); // BUG: assertion
#endif
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
#elif defined PUBLISHED
// Data are published by a message. Wrong: they are written behind it.
static int data;

static void *sender(void *unused) {
    int fd = connected(20001, 20000);
#ifdef RIGHT
    data = 1;
    send(fd, "", 0, 0);
#else
    send(fd, "", 0, 0);
    data = 1; // BUG: data-race
#endif
    return NULL;
}

int main(void) {
    pthread_t thread;
    int fd = bound(20000);
    char none;
    pthread_create(&thread, NULL, sender, NULL);
    assert(recv(fd, &none, 1, 0) == 0);
    assert(data == 0 || data == 1);
    pthread_join(thread, NULL);
    return 0;
}
#elif defined RETRY
// A client asks again when no answer has come for some time. Wrong: it takes the answer to its first question for that to its
// second one. Right: answers have the number of the question.
static void *server(void *socket) {
    struct sockaddr_in from;
    int number, fd = *(int *)socket;
    for (int i = 0; i < 2; i++) {
        socklen_t len = sizeof from;
        if (recvfrom(fd, &number, sizeof number, i == 0 ? 0 : MSG_DONTWAIT, (struct sockaddr *)&from, &len) < 0)
            break;
        sendto(fd, &number, sizeof number, 0, (struct sockaddr *)&from, len);
    }
    return NULL;
}

int main(void) {
    pthread_t thread;
    struct timeval limit = {1, 0};
    int answer = 0, in = bound(20000), fd = connected(20001, 20000);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    pthread_create(&thread, NULL, server, &in);
    for (int number = 1; number <= 2; number++) {
        send(fd, &number, sizeof number, 0);
        if (recv(fd, &answer, sizeof answer, 0) < 0)
            continue;
#ifdef RIGHT
        assert(answer <= number);
#else
        assert(answer == number); // BUG: assertion
#endif
        break;
    }
    pthread_join(thread, NULL);
    return 0;
}
#elif defined SHARED
// Two threads take messages from one socket. Wrong: each waits for one of its own, but one comes. Right: two come.
static int fd;

static void *worker(void *unused) {
    char byte;
    assert(recv(fd, &byte, 1, 0) == 1); // BUG: deadlock
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    fd = bound(20000);
    int out = connected(20001, 20000);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    send(out, "a", 1, 0);
#ifdef RIGHT
    send(out, "b", 1, 0);
#endif
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
#elif defined POLLED
// A server looks at two sockets. Wrong: it reads from one that was not ready.
static void *sender(void *unused) {
    int fd = connected(20002, 20001);
    assert(send(fd, "x", 1, 0) == 1);
    return NULL;
}

int main(void) {
    pthread_t thread;
    char byte;
    int one = bound(20000), two = bound(20001);
    pthread_create(&thread, NULL, sender, NULL);
#ifdef EPOLL
    int instance = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = one};
    epoll_ctl(instance, EPOLL_CTL_ADD, one, &event);
    event.data.fd = two;
    epoll_ctl(instance, EPOLL_CTL_ADD, two, &event);
    assert(epoll_wait(instance, &event, 1, -1) == 1);
    int ready = event.data.fd;
#else
    struct pollfd all[2] = {{one, POLLIN, 0}, {two, POLLIN, 0}};
    assert(poll(all, 2, -1) == 1);
    int ready = all[0].revents & POLLIN ? one : two;
#endif
#ifdef RIGHT
    assert(recv(ready, &byte, 1, MSG_DONTWAIT) == 1);
#else
    assert(ready == two && recv(one, &byte, 1, 0) == 1); // BUG: deadlock
#endif
    pthread_join(thread, NULL);
    return 0;
}
#elif defined CLOSED
// The receiver may close its socket before the sender's second message, which is told that nobody is there. Right: that is no error.
static void *receiver(void *fd) {
    char byte;
    assert(recv(*(int *)fd, &byte, 1, 0) == 1);
    close(*(int *)fd);
    return NULL;
}

int main(void) {
    pthread_t thread;
    int in = bound(20000), out = connected(20001, 20000);
    pthread_create(&thread, NULL, receiver, &in);
    assert(send(out, "a", 1, 0) == 1);
    assert(send(out, "b", 1, 0) == 1);
    int sent = send(out, "c", 1, 0);
#ifdef RIGHT
    assert(sent == 1 || errno == ECONNREFUSED);
#else
    assert(sent == 1); // BUG: assertion
#endif
    pthread_join(thread, NULL);
    return 0;
}
#endif
