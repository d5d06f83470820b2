// The same calls with addresses of version 6.
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

int main(void) {
    struct sockaddr_in6 name = {.sin6_family = AF_INET6, .sin6_port = htons(20000), .sin6_addr = IN6ADDR_ANY_INIT}, from;
    socklen_t len = sizeof from;
    char byte = 'a';
    int in = socket(AF_INET6, SOCK_DGRAM, 0), out = socket(AF_INET6, SOCK_DGRAM, 0);
    assert(bind(in, (struct sockaddr *)&name, sizeof name) == 0);
    name.sin6_addr = in6addr_loopback;
    assert(sendto(out, &byte, 1, 0, (struct sockaddr *)&name, sizeof name) == 1);
    assert(recvfrom(in, &byte, 1, 0, (struct sockaddr *)&from, &len) == 1);
    assert(len == sizeof from && from.sin6_family == AF_INET6);
    assert(!memcmp(&from.sin6_addr, &in6addr_loopback, sizeof in6addr_loopback));
    assert(connect(in, (struct sockaddr *)&from, len) == 0 && send(in, "answer", 6, 0) == 6);
    char answer[6];
    assert(recv(out, answer, 6, 0) == 6);
    name.sin6_family = 77;
    errno = 0;
    assert(sendto(out, &byte, 1, 0, (struct sockaddr *)&name, sizeof name) == -1 && errno == EINVAL);
    return 0;
}
