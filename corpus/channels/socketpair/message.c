// A message made of several pieces is read where they are, and written where the receiver wants it.
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

static int ends[2];
static char head[2] = "ab", tail[2] = "cd";

static void *sender(void *arg) {
    struct iovec pieces[2] = {{head, 2}, {tail, 2}};
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2};
    assert(sendmsg(ends[1], &message, 0) == 4); // BUG: data-race(tail)
    return arg;
}

int main(void) {
    pthread_t thread;
    char got[4];
    struct iovec piece = {got, 4};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    pthread_create(&thread, NULL, sender, NULL);
#ifdef TOO_EARLY
    tail[1] = 'd'; // BUG: data-race(tail)
#endif
    assert(recvmsg(ends[0], &message, 0) == 4 && memcmp(got, "abcd", 4) == 0);
    tail[1] = 'e';
    pthread_join(thread, NULL);
    return 0;
}
