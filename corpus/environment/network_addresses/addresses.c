// Addresses of networks in text and in memory, and lookups that need no service.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct in_addr common;

static void *reader(void *text) {
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM}, *found;
    char written[INET_ADDRSTRLEN];
    struct in_addr *address = malloc(sizeof *address);
#ifdef LOOKED_UP
    assert(getaddrinfo("127.0.0.1", "80", &hints, &found) == 0);
    assert(((struct sockaddr_in *)found->ai_addr)->sin_port == htons(80));
    freeaddrinfo(found);
#endif
#ifdef RACE
    inet_pton(AF_INET, text, &common); // BUG: data-race
#endif
#ifdef SMALL
    inet_pton(AF_INET6, "::1", address); // BUG: heap-overflow
#endif
    assert(inet_pton(AF_INET, text, address) == 1);
#ifdef GONE
    free(address);
    inet_ntop(AF_INET, address, written, sizeof written); // BUG: heap-use-after-free
#endif
    assert(strcmp(inet_ntop(AF_INET, address, written, sizeof written), text) == 0);
    free(address);
    return NULL;
}

int main(void) {
    pthread_t thread;
    // What is no address is not written.
    pthread_create(&thread, NULL, reader, "127.0.0.1");
    inet_pton(AF_INET, "no address", &common);
#ifdef RACE
    in_addr_t before = common.s_addr; // BUG: data-race
    (void)before;
#endif
    reader("10.1.2.3");
    pthread_join(thread, NULL);
    return 0;
}
