// What calls on pipes return in Linux, where no thread waits.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FAILS(call, error) assert((call) == -1 && errno == (error))

static char bytes[65536 + 1];

/* Room is counted in pages: a small write goes behind the last data only if it fits there as a whole. */
static void room(void) {
    int ends[2], count = 0;
    assert(pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0);
    assert(fcntl(ends[0], F_SETPIPE_SZ, 1) == 4096);
    while (write(ends[1], bytes, 16) == 16) count++;
    assert(errno == EAGAIN && count == 256);
    assert(ioctl(ends[0], FIONREAD, &count) == 0 && count == 4096);
    assert(read(ends[0], bytes, sizeof bytes) == 4096);
    assert(fcntl(ends[0], F_SETPIPE_SZ, 65536) == 65536);
    FAILS(read(ends[0], bytes, 1), EAGAIN);
    for (count = 0; write(ends[1], bytes, 3000) == 3000;) count++;
    assert(errno == EAGAIN && count == 16);
    assert(write(ends[1], bytes, 1096) == 1096); /* behind the last 3000 */
    FAILS(write(ends[1], bytes, 1), EAGAIN);
    assert(read(ends[0], bytes, 1) == 1); /* no page is free yet */
    FAILS(write(ends[1], bytes, 1), EAGAIN);
    assert(read(ends[0], bytes, 2999) == 2999);
    assert(write(ends[1], bytes, 5000) == 4096); /* a part */
    assert(fcntl(ends[0], F_GETPIPE_SZ) == 65536);
    FAILS(fcntl(ends[0], F_SETPIPE_SZ, 4096), EBUSY);
    assert(fcntl(ends[0], F_SETPIPE_SZ, 65537) == 131072);
    assert(write(ends[1], bytes, 1) == 1);
    close(ends[0]);
    close(ends[1]);
}

static void numbers(void) {
    int ends[2], more[2];
    struct stat status;
    assert(pipe(ends) == 0);
    assert(ends[1] == ends[0] + 1);
    int copy = dup(ends[1]);
    assert(copy == ends[1] + 1);
    close(ends[0]);
    assert(pipe(more) == 0 && more[0] == ends[0] && more[1] == copy + 1);
    assert(fstat(copy, &status) == 0 && S_ISFIFO(status.st_mode) && status.st_size == 0);
    assert(fcntl(more[1], F_GETFL) == O_WRONLY && fcntl(more[0], F_GETFL) == O_RDONLY);
    assert(dup2(more[1], ends[1]) == ends[1]);
    assert(write(ends[1], "ab", 2) == 2 && read(more[0], bytes, 10) == 2 && memcmp(bytes, "ab", 2) == 0);
    assert(dup2(ends[1], ends[1]) == ends[1] && write(ends[1], "c", 1) == 1 && read(more[0], bytes, 10) == 1);
    FAILS(dup3(ends[1], ends[1], 0), EINVAL);
    close(ends[1]);
    FAILS(dup2(ends[1], ends[1]), EBADF);
    FAILS(ioctl(ends[1], FIONREAD, &copy), EBADF);
    close(more[1]);
    assert(read(more[0], bytes, 1) == 0);
    close(more[0]);
    close(copy);
    FAILS(close(copy), EBADF);
    FAILS(read(copy, bytes, 1), EBADF);
}

static void errors(void) {
    int ends[2];
    assert(pipe(ends) == 0);
    FAILS(write(ends[0], "a", 1), EBADF);
    FAILS(read(ends[1], bytes, 1), EBADF);
    FAILS(lseek(ends[0], 0, SEEK_SET), ESPIPE);
    FAILS(pread(ends[0], bytes, 1, 0), ESPIPE);
    FAILS(pwrite(ends[1], bytes, 1, 0), ESPIPE);
    FAILS(ftruncate(ends[1], 0), EINVAL);
    FAILS(fsync(ends[1]), EINVAL);
    assert(isatty(ends[0]) == 0);
    assert(read(ends[0], bytes, 0) == 0 && write(ends[1], bytes, 0) == 0);
    FAILS(pipe2(ends, O_APPEND), EINVAL);
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    FAILS(write(ends[1], "a", 1), EPIPE);
    close(ends[1]);
}

static void pieces(void) {
    int ends[2];
    char one[3] = "", two[4] = "";
    assert(pipe(ends) == 0);
    struct iovec out[] = {{"abc", 3}, {"", 0}, {"de", 2}}, in[] = {{one, 2}, {two, 3}};
    assert(writev(ends[1], out, 3) == 5);
    assert(readv(ends[0], in, 2) == 5 && strcmp(one, "ab") == 0 && strcmp(two, "cde") == 0);
    assert(dprintf(ends[1], "%d", 42) == 2 && read(ends[0], bytes, 9) == 2 && memcmp(bytes, "42", 2) == 0);
    assert(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 && fcntl(ends[0], F_GETFL) == O_NONBLOCK);
    FAILS(read(ends[0], bytes, 1), EAGAIN);
}

int main(void) {
    room();
    numbers();
    errors();
    pieces();
    return 0;
}
