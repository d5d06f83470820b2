// A server accepts a connection of TCP from each of two clients, in whatever order they come, and answers each of them.
// Who relies on an order of the clients is wrong.
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener, ends[2], served[2];
#ifdef SIX
static struct sockaddr_in6 name = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
#define FAMILY AF_INET6
#else
static struct sockaddr_in name = {.sin_family = AF_INET};
#define FAMILY AF_INET
#endif

static void *server(void *arg) {
    for (int i = 0; i < 2; i++) {
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
    pthread_t threads[3];
    socklen_t len = sizeof name;
#ifndef SIX
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
#endif
    listener = socket(FAMILY, SOCK_STREAM, 0);
    assert(bind(listener, (struct sockaddr *)&name, sizeof name) == 0 && listen(listener, 2) == 0);
    assert(getsockname(listener, (struct sockaddr *)&name, &len) == 0);
    for (int i = 0; i < 2; i++) ends[i] = socket(FAMILY, SOCK_STREAM, 0);
    pthread_create(&threads[2], NULL, server, NULL);
    for (size_t i = 0; i < 2; i++) pthread_create(&threads[i], NULL, client, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return 0;
}
