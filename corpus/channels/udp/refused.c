// What is not modelled of UDP: each has to be named.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(20000)};
    int fd = socket(AF_INET, SOCK_DGRAM, 0), other = socket(AF_INET, SOCK_DGRAM, 0);
    static char bytes[60000];
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
#if defined OUTSIDE
    name.sin_addr.s_addr = htonl(0xc0000201);
    sendto(fd, bytes, 1, 0, (struct sockaddr *)&name, sizeof name);
#elif defined SEVERAL
    int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(other, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    bind(fd, (struct sockaddr *)&name, sizeof name);
    bind(other, (struct sockaddr *)&name, sizeof name);
#elif defined MUCH
    bind(fd, (struct sockaddr *)&name, sizeof name);
    for (int i = 0; i < 4; i++)
        sendto(other, bytes, sizeof bytes, 0, (struct sockaddr *)&name, sizeof name);
#elif defined MORE
    sendto(other, bytes, 1, MSG_MORE, (struct sockaddr *)&name, sizeof name);
#elif defined MEMBERSHIP
    struct ip_mreq group = {0};
    setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof group);
#endif
    return 0;
}
