// Events that Linux does not give for all sorts of descriptors: an event counter has no POLLRDNORM.
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <sys/eventfd.h>

int main(void) {
    struct pollfd entry = {.fd = eventfd(1, 0), .events = EVENTS};
    assert(poll(&entry, 1, 0) == 1 && entry.revents == POLLIN);
}
