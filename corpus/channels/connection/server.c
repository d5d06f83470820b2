// A server accepts a connection from each of its clients, in whatever order they come, and answers each of them. Who
// relies on an order of the clients is wrong.
#include <assert.h>
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
static struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "server.sock"};

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
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(bind(listener, (struct sockaddr *)&name, sizeof name) == 0 && listen(listener, CLIENTS) == 0);
    for (int i = 0; i < CLIENTS; i++) ends[i] = socket(AF_UNIX, SOCK_STREAM, 0);
    pthread_create(&threads[CLIENTS], NULL, server, NULL);
    for (size_t i = 0; i < CLIENTS; i++) pthread_create(&threads[i], NULL, client, (void *)i);
    for (int i = 0; i <= CLIENTS; i++) pthread_join(threads[i], NULL);
    return 0;
}
