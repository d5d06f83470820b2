// What is not modelled of pipes with names.
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>

int main(void) {
    mkfifo("pipe", 0600);
#ifdef BOTH
    return open("pipe", O_RDWR);
#elif defined(STREAM)
    return fopen("pipe", "r") == NULL;
#else
    struct pollfd one = {.fd = open("pipe", O_RDONLY | O_NONBLOCK), .events = POLLIN};
    return poll(&one, 1, 0);
#endif
}
