// What calls on one socket return, one after the other: as Linux does.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static struct sockaddr_in at(int port) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return a;
}
#define ADDR(a) (struct sockaddr *)&(a), sizeof(a)
#define FAILS(call, error) do { errno = 0; assert((call) == -1); if (errno != error) { printf("%s: %d\n", #call, errno); } assert(errno == error); } while (0)
static int port_of(int fd) {
  struct sockaddr_in a; socklen_t len = sizeof a;
  assert(getsockname(fd, (struct sockaddr *)&a, &len) == 0 && len == sizeof a && a.sin_family == AF_INET);
  return ntohs(a.sin_port);
}
static int polled(int fd) { struct pollfd p = {fd, POLLIN | POLLOUT | POLLRDHUP, 0}; assert(poll(&p, 1, 0) >= 0); return p.revents; }

int main(void) {
  int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, IPPROTO_UDP);
  char text[16];
  int value; socklen_t len = sizeof value;
  assert(getsockopt(a, SOL_SOCKET, SO_TYPE, &value, &len) == 0 && value == SOCK_DGRAM);
  assert(getsockopt(a, SOL_SOCKET, SO_PROTOCOL, &value, &len) == 0 && value == IPPROTO_UDP);
  assert(port_of(a) == 0);
  FAILS(listen(a, 1), EOPNOTSUPP);
  FAILS(accept(a, 0, 0), EOPNOTSUPP);
  FAILS(send(a, "x", 1, 0), EDESTADDRREQ);
  assert(port_of(a) != 0);
  close(a);
  a = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in server = at(21000), other = at(21001), none = at(21002);
  assert(bind(a, ADDR(server)) == 0);
  FAILS(bind(a, ADDR(other)), EINVAL);
  FAILS(bind(b, ADDR(server)), EADDRINUSE);
  FAILS(bind(b, (struct sockaddr *)&server, 8), EINVAL);
  struct sockaddr_in six = server; six.sin_family = AF_INET6;
  FAILS(bind(b, ADDR(six)), EAFNOSUPPORT);
  FAILS(recv(b, text, sizeof text, 0), EAGAIN);
  assert(polled(a) == POLLOUT);
  struct sockaddr_in from; socklen_t size = sizeof from;
  FAILS(getpeername(b, (struct sockaddr *)&from, &size), ENOTCONN);
  // Nobody is there: nothing is said of it, as the socket is not connected.
  assert(sendto(b, "lost", 4, 0, ADDR(none)) == 4);
  FAILS(sendto(b, "lost", 4, 0, (struct sockaddr *)&none, 4), EINVAL);
  int client = port_of(b);
  assert(client != 0);
  assert(sendto(b, "one", 3, 0, ADDR(server)) == 3);
  assert(sendto(b, "", 0, 0, ADDR(server)) == 0);
  assert(sendto(b, "three33", 7, 0, ADDR(server)) == 7);
  assert(polled(a) == (POLLIN | POLLOUT));
  int bytes;
  assert(ioctl(a, FIONREAD, &bytes) == 0 && bytes == 3);
  assert(recvfrom(a, text, sizeof text, MSG_PEEK, (struct sockaddr *)&from, &size) == 3);
  assert(recvfrom(a, text, sizeof text, 0, (struct sockaddr *)&from, &size) == 3 && !memcmp(text, "one", 3));
  assert(size == sizeof from && ntohs(from.sin_port) == client && from.sin_addr.s_addr == htonl(INADDR_LOOPBACK));
  assert(recv(a, text, sizeof text, 0) == 0);
  struct iovec parts[2] = {{text, 2}, {text + 2, 1}};
  struct msghdr message = {.msg_name = &from, .msg_namelen = sizeof from, .msg_iov = parts, .msg_iovlen = 2};
  assert(recvmsg(a, &message, 0) == 3 && message.msg_flags == MSG_TRUNC && !memcmp(text, "thr", 3));
  assert(message.msg_namelen == sizeof from && message.msg_controllen == 0);
  // Connected: messages of others do not come, and who has nobody at the other end is told.
  assert(connect(b, ADDR(none)) == 0);
  assert(getpeername(b, (struct sockaddr *)&from, &size) == 0 && ntohs(from.sin_port) == 21002);
  assert(write(b, "x", 1) == 1);
  assert(polled(b) & POLLERR);
  FAILS(write(b, "x", 1), ECONNREFUSED);
  assert(write(b, "x", 1) == 1);
  FAILS(recv(b, text, 1, 0), ECONNREFUSED);
  FAILS(recv(b, text, 1, 0), EAGAIN);
  assert(write(b, "x", 1) == 1);
  assert(getsockopt(b, SOL_SOCKET, SO_ERROR, &value, &len) == 0 && value == ECONNREFUSED);
  assert(getsockopt(b, SOL_SOCKET, SO_ERROR, &value, &len) == 0 && value == 0);
  struct sockaddr_in back = at(client);
  assert(sendto(a, "not for b", 9, 0, ADDR(back)) == 9);
  FAILS(recv(b, text, 1, 0), EAGAIN);
  assert(connect(b, ADDR(server)) == 0);
  assert(sendto(a, "for b", 5, 0, ADDR(back)) == 5);
  assert(read(b, text, sizeof text) == 5);
  assert(read(b, text, 0) == 0);
  assert(writev(b, (struct iovec[]){{"ab", 2}, {"cd", 2}}, 2) == 4);
  assert(recv(a, text, 2, MSG_TRUNC) == 4 && !memcmp(text, "ab", 2));
  assert(write(b, "", 0) == 0);
  assert(recv(a, text, 2, MSG_DONTWAIT) == 0);
  FAILS(recv(a, text, 2, MSG_DONTWAIT), EAGAIN);
  // Disconnected: the port that it did not ask for is free.
  struct sockaddr nobody = {.sa_family = AF_UNSPEC};
  assert(connect(b, &nobody, sizeof nobody) == 0);
  FAILS(send(b, "x", 1, 0), EDESTADDRREQ);
  static char large[65508];
  FAILS(sendto(b, large, sizeof large, 0, ADDR(server)), EMSGSIZE);
  assert(sendto(b, large, 65507, 0, ADDR(server)) == 65507);
  assert(recv(a, large, sizeof large, 0) == 65507);
  FAILS(sendto(b, large, 1, MSG_OOB, ADDR(server)), EOPNOTSUPP);
  // Shut down.
  FAILS(shutdown(a, SHUT_RD), ENOTCONN);
  assert(recv(a, text, 1, 0) == 0);
  FAILS(recv(a, text, 1, MSG_DONTWAIT), EAGAIN);
  assert(polled(a) == (POLLIN | POLLOUT | POLLRDHUP));
  FAILS(shutdown(a, 3), EINVAL);
  FAILS(shutdown(a, SHUT_WR), ENOTCONN);
  FAILS(sendto(a, "x", 1, 0, ADDR(server)), EPIPE);
  struct timeval limit = {0, 20000};
  assert(setsockopt(b, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0);
  limit.tv_usec = 1000000;
  FAILS(setsockopt(b, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), EDOM);
  fcntl(b, F_SETFL, 0);
  FAILS(recv(b, text, 1, 0), EAGAIN);
  close(a);
  a = socket(AF_INET, SOCK_DGRAM, 0);
  assert(bind(a, ADDR(server)) == 0);
  struct sockaddr_in any = server; any.sin_addr.s_addr = 0;
  assert(sendto(a, "self", 4, 0, ADDR(any)) == 4 && recv(a, text, sizeof text, 0) == 4);
  puts("ok");
  return 0;
}
