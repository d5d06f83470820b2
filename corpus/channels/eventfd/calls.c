// What the calls return where no thread waits.
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define FAILS(call, error) assert((call) == -1 && errno == (error))

int main(void) {
    uint64_t value = 5, two[2];
    int counter = eventfd(3, EFD_NONBLOCK | EFD_CLOEXEC);
    struct pollfd polled = {.fd = counter, .events = POLLIN | POLLOUT};
    assert(write(counter, &value, 8) == 8 && read(counter, two, 16) == 8 && two[0] == 8);
    FAILS(read(counter, &value, 8), EAGAIN);
    FAILS(read(counter, &value, 7), EINVAL);
    FAILS(write(counter, &value, 4), EINVAL);
    assert(poll(&polled, 1, 0) == 1 && polled.revents == POLLOUT);
    value = UINT64_MAX;
    FAILS(write(counter, &value, 8), EINVAL);
    value--;
    assert(write(counter, &value, 8) == 8);
    assert(poll(&polled, 1, 0) == 1 && polled.revents == POLLIN);
    value = 1;
    FAILS(write(counter, &value, 8), EAGAIN);
    FAILS(eventfd(0, 2), EINVAL);
    int units = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK);
    for (int i = 0; i < 2; i++) assert(read(units, &value, 8) == 8 && value == 1);
    FAILS(read(units, &value, 8), EAGAIN);
    close(units);
    FAILS(read(units, &value, 8), EBADF);
    return 0;
}
