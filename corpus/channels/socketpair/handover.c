// A request and its answer through connected sockets: what came before a message was sent happens before what follows
// its receipt.
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];
static int question, answer;

static void *server(void *arg) {
    char byte = 0;
    assert(recv(ends[1], &byte, 1, 0) == 1 && byte == '?');
    answer = question + 1; // BUG: data-race(answer)
    assert(write(ends[1], "!", 1) == 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    char byte = 0;
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    pthread_create(&thread, NULL, server, NULL);
    question = 1;
    assert(send(ends[0], "?", 1, 0) == 1);
#ifdef TOO_EARLY
    int early = answer & 0; // BUG: data-race(answer)
#else
    int early = 0;
#endif
    assert(read(ends[0], &byte, 1) == 1 && byte == '!');
    assert(early == 0 && answer == 2);
    pthread_join(thread, NULL);
    return 0;
}
