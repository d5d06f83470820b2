#include <arpa/inet.h>
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
#include <string.h>
// A server that answers each client with what it sent, one more. Clients are told apart by their addresses.
#ifndef CLIENTS
#define CLIENTS 2
#endif
static struct sockaddr_in name;
static void *client(void *number) {
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  int sent = (int)(long)number, got;
  assert(connect(fd, (struct sockaddr *)&name, sizeof name) == 0);
  assert(send(fd, &sent, sizeof sent, 0) == sizeof sent);
  assert(recv(fd, &got, sizeof got, 0) == sizeof got);
  assert(got == sent + 1);
  close(fd);
  return 0;
}
int main(void) {
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  name.sin_family = AF_INET; name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t len = sizeof name;
  assert(bind(fd, (struct sockaddr *)&name, len) == 0);
  assert(getsockname(fd, (struct sockaddr *)&name, &len) == 0);
  pthread_t t[CLIENTS];
  for (long i = 0; i < CLIENTS; i++) pthread_create(&t[i], 0, client, (void *)(10 * i));
  for (int i = 0; i < CLIENTS; i++) {
    struct sockaddr_in from; socklen_t n = sizeof from; int value;
    assert(recvfrom(fd, &value, sizeof value, 0, (struct sockaddr *)&from, &n) == sizeof value);
    value++;
    assert(sendto(fd, &value, sizeof value, 0, (struct sockaddr *)&from, n) == sizeof value);
  }
  for (int i = 0; i < CLIENTS; i++) pthread_join(t[i], 0);
  close(fd);
  return 0;
}
