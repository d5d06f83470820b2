/* A client that asks the server once, in each of its connections. */

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef CONNECTIONS
#define CONNECTIONS 1
#endif

static void ask(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(8080)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    char byte = 'a';
    assert(connect(connection, (struct sockaddr *)&address, sizeof address) == 0);
    assert(write(connection, &byte, 1) == 1);
    assert(read(connection, &byte, 1) == 1 && byte == 'b');
    close(connection);
}

int main(void) {
    for (int i = 0; i < CONNECTIONS; i++)
        ask();
}
