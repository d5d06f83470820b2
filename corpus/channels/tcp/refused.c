// What is not modelled of TCP: each has to be named.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static char bytes[20000];

int main(void) {
    struct sockaddr_in name = {.sin_family = AF_INET};
    socklen_t len = sizeof name;
    int listener = socket(AF_INET, SOCK_STREAM, 0), end = socket(AF_INET, SOCK_STREAM, 0);
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
#if defined OUTSIDE
    name.sin_addr.s_addr = htonl(0xc0000201);
    name.sin_port = htons(80);
    connect(end, (struct sockaddr *)&name, sizeof name);
#elif defined PORT
    name.sin_port = htons(50100);
    bind(listener, (struct sockaddr *)&name, sizeof name);
#elif defined UNBOUND
    listen(listener, 1);
#endif
    bind(listener, (struct sockaddr *)&name, sizeof name);
    listen(listener, 0);
    getsockname(listener, (struct sockaddr *)&name, &len);
    connect(end, (struct sockaddr *)&name, sizeof name);
#if defined FULL
    int other = socket(AF_INET, SOCK_STREAM, 0);
    connect(other, (struct sockaddr *)&name, sizeof name);
#elif defined REFUSED
    int other = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    name.sin_port = htons(1);
    connect(other, (struct sockaddr *)&name, sizeof name);
#elif defined MUCH
    write(end, bytes, sizeof bytes);
#elif defined DELAYED
    write(end, bytes, 1);
    write(end, bytes, 1);
#elif defined CLOSED
    close(accept(listener, NULL, NULL));
    write(end, bytes, 1);
#elif defined READING
    shutdown(end, SHUT_RD);
#elif defined USED_PORT
    close(listener);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    bind(listener, (struct sockaddr *)&name, sizeof name);
#endif
    return 0;
}
