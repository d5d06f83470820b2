// Services and protocols by name and number: the result is in memory of the C library, or in memory of the caller's.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stddef.h>

// A machine may be without the databases.
static int looked_up(int error) {
    return error == 0 || error == ENOENT;
}

static int number(void) {
#if defined(SERVICES)
    struct servent *found = getservbyname("http", "tcp"); // BUG: data-race(lookup)
    return found ? ntohs(found->s_port) : 80;
#elif defined(PORTS)
    struct servent *found = getservbyport(htons(80), "tcp"); // BUG: data-race(lookup)
    return found ? ntohs(found->s_port) : 80;
#elif defined(PROTOCOLS)
    struct protoent *found = getprotobyname("tcp"); // BUG: data-race(lookup)
    return found ? found->p_proto : 6;
#elif defined(PROTOCOL_NUMBERS)
    struct protoent *found = getprotobynumber(6); // BUG: data-race(lookup)
    return found ? found->p_proto : 6;
#elif defined(SERVICES_TO_CALLER)
    struct servent service, *found;
    char buffer[1024];
    assert(looked_up(getservbyname_r("http", "tcp", &service, buffer, sizeof buffer, &found)));
    assert(found == NULL || ntohs(found->s_port) == 80);
    assert(looked_up(getservbyport_r(htons(80), "tcp", &service, buffer, sizeof buffer, &found)));
    return found ? ntohs(found->s_port) : 80;
#else
    struct protoent protocol, *of;
    char buffer[1024];
    assert(looked_up(getprotobynumber_r(6, &protocol, buffer, sizeof buffer, &of)));
    assert(of == NULL || of->p_proto == 6);
    assert(looked_up(getprotobyname_r("tcp", &protocol, buffer, sizeof buffer, &of)));
    return of ? of->p_proto : 6;
#endif
}

static void *thread(void *arg) {
#ifndef ALONE
    int found = number();
    assert(found == 6 || found == 80);
#endif
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, thread, NULL);
#ifdef ALONE
    pthread_join(other, NULL);
#endif
    int found = number();
    assert(found == 6 || found == 80);
#ifndef ALONE
    pthread_join(other, NULL);
#endif
    return 0;
}
