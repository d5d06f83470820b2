// Asks a server of UDP, and waits for the answer.
#include <arpa/inet.h>
#include <sys/socket.h>

int main(void) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(20000)};
    char answer[6];
    int own = socket(AF_INET, SOCK_DGRAM, 0);
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connect(own, (struct sockaddr *)&name, sizeof name);
    send(own, "?", 1, 0);
    return recv(own, answer, sizeof answer, 0) != sizeof answer;
}
