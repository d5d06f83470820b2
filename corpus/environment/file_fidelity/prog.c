// What the system says of files that the run has made.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    struct stat status;
    int fd = open("made", O_RDWR | O_CREAT | O_TRUNC, 0600);
#if defined OWNER
    fchown(fd, getuid() + 1, (gid_t)-1);
#elif defined OWNER_OF_NAME
    chown("made", (uid_t)-1, getgid() + 1);
#elif defined OWN_OWNER
    assert(fchown(fd, getuid(), (gid_t)-1) == 0 && fstat(fd, &status) == 0 && status.st_uid == getuid());
#elif defined BELOW_FILE
    assert(open("made/below", O_RDONLY) == -1 && errno == ENOTDIR);
    assert(open("made/below", O_WRONLY | O_CREAT, 0600) == -1 && errno == ENOTDIR);
    assert(stat("made/below", &status) == -1 && errno == ENOTDIR);
    assert(open("other/below", O_RDONLY) == -1 && errno == ENOENT);
#elif defined MODIFIED
    struct timespec times[2] = {{100, 0}, {200, 0}};
    assert(futimens(fd, times) == 0 && fstat(fd, &status) == 0 && status.st_mtime == 200);
    assert(write(fd, "a", 1) == 1 && fstat(fd, &status) == 0 && status.st_mtime != 200 && status.st_atime == 100);
    assert(futimens(fd, times) == 0 && ftruncate(fd, 0) == 0 && fstat(fd, &status) == 0 && status.st_mtime != 200);
#elif defined DUPLICATED
    assert(dup3(fd, fd, 0) == -1 && errno == EINVAL);
    assert(dup2(fd, fd) == fd);
#elif defined LINKS
    assert(fstat(fd, &status) == 0 && status.st_nlink == 1);
    assert(rename("made", "moved") == 0 && fstat(fd, &status) == 0 && status.st_nlink == 1);
    assert(unlink("moved") == 0 && fstat(fd, &status) == 0 && status.st_nlink == 0);
    assert(open("moved", O_RDWR | O_CREAT, 0600) != -1 && fstat(fd, &status) == 0 && status.st_nlink == 0);
#endif
    close(fd);
    return 0;
}
