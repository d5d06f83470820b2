// What the calls on pipes with names return, with the errors of Linux. One thread, so that no open may wait.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define FAILS(call, error) assert((call) == -1 && errno == (error))

int main(void) {
    struct stat about;
    char text[8];
    assert(mkfifo("pipe", 0640) == 0 && mkfifoat(AT_FDCWD, "other", 0600) == 0);
    FAILS(mkfifo("pipe", 0600), EEXIST);
    FAILS(mkfifo("nowhere/pipe", 0600), ENOENT);
    FAILS(mkfifo("file", 0600), EEXIST);
    assert(stat("pipe", &about) == 0 && S_ISFIFO(about.st_mode) && about.st_size == 0 && access("pipe", R_OK) == 0);
    FAILS(open("pipe", O_WRONLY | O_NONBLOCK), ENXIO);
    FAILS(open("pipe", O_RDONLY | O_DIRECTORY), ENOTDIR);
    FAILS(open("pipe", O_RDONLY | O_CREAT | O_EXCL, 0600), EEXIST);
    int reads = open("pipe", O_RDONLY | O_NONBLOCK);
    // Without a writer the data are at their end.
    assert(reads >= 0 && read(reads, text, sizeof text) == 0);
    FAILS(write(reads, "a", 1), EBADF);
    int writes = open("pipe", O_WRONLY), again = open("pipe", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    assert(writes == reads + 1 && again == writes + 1);
    assert((fcntl(writes, F_GETFL) & (O_ACCMODE | O_NONBLOCK)) == O_WRONLY);
    assert((fcntl(again, F_GETFL) & (O_ACCMODE | O_NONBLOCK)) == (O_WRONLY | O_NONBLOCK) && fcntl(again, F_GETFD) == 1);
    FAILS(read(reads, text, sizeof text), EAGAIN);
    FAILS(read(writes, text, sizeof text), EBADF);
    FAILS(lseek(reads, 0, SEEK_SET), ESPIPE);
    assert(write(writes, "ab", 2) == 2 && write(again, "c", 1) == 1 && close(writes) == 0);
    // It has another name, and none at all, while it is open.
    assert(rename("pipe", "renamed") == 0 && unlink("renamed") == 0);
    FAILS(open("renamed", O_RDONLY), ENOENT);
    assert(read(reads, text, 2) == 2 && text[1] == 'b' && close(again) == 0);
    assert(read(reads, text, sizeof text) == 1 && text[0] == 'c' && read(reads, text, sizeof text) == 0);
    assert(close(reads) == 0);
    // What nobody has read is gone once nobody has it open.
    reads = open("other", O_RDONLY | O_NONBLOCK), writes = open("other", O_WRONLY);
    assert(write(writes, "abc", 3) == 3 && close(writes) == 0 && close(reads) == 0);
    reads = open("other", O_RDONLY | O_NONBLOCK), writes = open("other", O_WRONLY);
    FAILS(read(reads, text, sizeof text), EAGAIN);
    signal(SIGPIPE, SIG_IGN);
    assert(close(reads) == 0);
    FAILS(write(writes, "a", 1), EPIPE);
    return 0;
}
