// What the calls of epoll return, with the errors of Linux.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#define FAILS(call, error) assert((call) == -1 && errno == (error))

int main(void) {
    int ends[2], instance = epoll_create1(EPOLL_CLOEXEC), other = epoll_create(1);
    struct epoll_event event = {EPOLLIN, {.u64 = 0x123456789abcdef0}}, found[2];
    struct timespec now = {0, 0}, wrong = {0, -1};
    assert(instance >= 0 && other >= 0 && pipe(ends) == 0);
    FAILS(epoll_create(0), EINVAL);
    FAILS(epoll_create1(1), EINVAL);
    FAILS(epoll_ctl(instance, EPOLL_CTL_ADD, 500, &event), EBADF);
    FAILS(epoll_ctl(500, EPOLL_CTL_ADD, ends[0], &event), EBADF);
    FAILS(epoll_ctl(ends[0], EPOLL_CTL_ADD, ends[1], &event), EINVAL);
    FAILS(epoll_ctl(instance, EPOLL_CTL_ADD, instance, &event), EINVAL);
    FAILS(epoll_ctl(instance, 7, ends[0], &event), EINVAL);
    FAILS(epoll_ctl(instance, EPOLL_CTL_ADD, ends[0], NULL), EFAULT);
    FAILS(epoll_ctl(instance, EPOLL_CTL_MOD, ends[0], &event), ENOENT);
    FAILS(epoll_ctl(instance, EPOLL_CTL_DEL, ends[0], NULL), ENOENT);
    int file = open("/dev/null", O_RDONLY);
    if (file >= 0) FAILS(epoll_ctl(instance, EPOLL_CTL_ADD, file, &event), EPERM);
    assert(epoll_ctl(instance, EPOLL_CTL_ADD, ends[0], &event) == 0);
    FAILS(epoll_ctl(instance, EPOLL_CTL_ADD, ends[0], &event), EEXIST);
    FAILS(epoll_wait(instance, found, 0, 0), EINVAL);
    FAILS(epoll_wait(instance, found, -1, 0), EINVAL);
    FAILS(epoll_wait(ends[0], found, 2, 0), EINVAL);
    FAILS(epoll_wait(500, found, 2, 0), EBADF);
    FAILS(epoll_pwait2(instance, found, 2, &wrong, NULL), EINVAL);
    FAILS(read(instance, found, 8), EINVAL);
    FAILS(write(instance, found, 8), EINVAL);
    assert(epoll_wait(instance, found, 2, 0) == 0 && epoll_pwait(instance, found, 2, 10, NULL) == 0);
    assert(write(ends[1], "x", 1) == 1);
    assert(epoll_pwait2(instance, found, 2, &now, NULL) == 1);
    assert(found[0].events == EPOLLIN && found[0].data.u64 == 0x123456789abcdef0);
    assert(epoll_wait(other, found, 2, 0) == 0);
    event.data.u64 = 5;
    assert(epoll_ctl(instance, EPOLL_CTL_MOD, ends[0], &event) == 0);
    assert(epoll_pwait(instance, found, 2, -1, NULL) == 1 && found[0].data.u64 == 5);
    assert(epoll_ctl(instance, EPOLL_CTL_DEL, ends[0], NULL) == 0 && epoll_wait(instance, found, 2, 0) == 0);
    return close(instance) || close(other);
}
