// Both threads send more than a socket has room for before they receive.
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SIZE = 230000 };
static int ends[2];
static char from_main[SIZE], from_other[SIZE], in_main[SIZE], in_other[SIZE];

static void receive(int end, char *to) {
    for (long got = 0, more; got < SIZE; got += more) {
        more = recv(end, to + got, SIZE - got, 0);
        assert(more > 0);
    }
}

static void *other(void *arg) {
#ifdef READS_FIRST
    receive(ends[1], in_other);
    send(ends[1], from_other, SIZE, 0);
#else
    send(ends[1], from_other, SIZE, 0); // BUG: deadlock
    receive(ends[1], in_other);
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    pthread_create(&thread, NULL, other, NULL);
    assert(write(ends[0], from_main, SIZE) == SIZE); // BUG: deadlock
    receive(ends[0], in_main);
    pthread_join(thread, NULL);
    return 0;
}
