// A server accepts a connection from each of its clients, in whatever order they come, and answers each of them. Who
// relies on an order of the clients is wrong. The sockets are of AF_UNIX, or of TCP over IPv4 or IPv6 (corpus/channels/tcp).
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef CLIENTS
#define CLIENTS 2
#endif

static int listener, ends[CLIENTS], served[CLIENTS];
#if defined IPV6
#define FAMILY AF_INET6
static struct sockaddr_in6 name = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
#elif defined IPV4
#define FAMILY AF_INET
static struct sockaddr_in name = {.sin_family = AF_INET};
#else
#define FAMILY AF_UNIX
static struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "server.sock"};
#endif

static void *server(void *arg) {
    for (int i = 0; i < CLIENTS; i++) {
        char who;
        int end = accept(listener, NULL, NULL);
        assert(end >= 0 && read(end, &who, 1) == 1);
#ifdef FIRST
        assert(who == i); // BUG: assertion
#endif
        served[(int)who]++;
        assert(write(end, &who, 1) == 1);
        assert(close(end) == 0);
    }
    return arg;
}

static void *client(void *arg) {
    char who = (char)(size_t)arg, answer = -1;
    int end = ends[(int)who];
    assert(connect(end, (struct sockaddr *)&name, sizeof name) == 0);
    assert(write(end, &who, 1) == 1);
    assert(read(end, &answer, 1) == 1 && answer == who);
    assert(served[(int)who] == 1); /* What came before the answer. */
    return NULL;
}

int main(void) {
    pthread_t threads[CLIENTS + 1];
#ifdef IPV4
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
#endif
    listener = socket(FAMILY, SOCK_STREAM, 0);
    assert(bind(listener, (struct sockaddr *)&name, sizeof name) == 0 && listen(listener, CLIENTS) == 0);
#if defined IPV4 || defined IPV6
    socklen_t len = sizeof name;
    assert(getsockname(listener, (struct sockaddr *)&name, &len) == 0);
#endif
    for (int i = 0; i < CLIENTS; i++) ends[i] = socket(FAMILY, SOCK_STREAM, 0);
    pthread_create(&threads[CLIENTS], NULL, server, NULL);
    for (size_t i = 0; i < CLIENTS; i++) pthread_create(&threads[i], NULL, client, (void *)i);
    for (int i = 0; i <= CLIENTS; i++) pthread_join(threads[i], NULL);
    return 0;
}
