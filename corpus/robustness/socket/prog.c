// Looks for a service through a socket.
#include <sys/socket.h>
#include <sys/un.h>

int main(void) {
    struct sockaddr_un service = {AF_UNIX, "service"};
    int end = socket(AF_UNIX, SOCK_DGRAM, 0);
    return end < 0 || connect(end, (struct sockaddr *)&service, sizeof service) == 0;
}
