// Talks to itself through a socket.
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    char byte = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 1;
    return write(ends[0], "x", 1) == 1 && read(ends[1], &byte, 1) == 1 && byte == 'x' ? 0 : 1;
}
