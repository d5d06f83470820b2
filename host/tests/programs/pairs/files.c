/* Files, by path and by descriptor, in a program that lists no folders. */
#include "headers.h"

static int file, again;
static char bytes[9];

static void begin(void) {
    file = open("a", O_RDWR);
    again = open("a", O_RDWR);
}

static long size(const char *path) {
    struct stat status;
    return stat(path, &status) ? -1 : status.st_size;
}

static long end(void) {
    struct stat status;
    fstat(file, &status);
    long sum = status.st_size * 8 + status.st_nlink;
    sum = sum * 100 + lseek(file, 0, SEEK_CUR);
    sum = sum * 50 + size("a");
    sum = sum * 50 + size("new");
    return sum * 8 + (access("b", F_OK) == 0);
}

static long mode(void) {
    struct stat status;
    return fstat(file, &status) ? -1 : status.st_mode & 0777;
}

static long links(void) {
    struct stat status;
    return fstat(file, &status) ? -1 : (long)status.st_nlink;
}

static long time_of(const char *path) {
    struct stat status;
    return stat(path, &status) ? -1 : status.st_mtime == 6;
}

static long first_of(const char *path) {
    FILE *stream = fopen(path, "r");
    return stream ? fgetc(stream) : -1;
}

static long written_with(const char *how) {
    FILE *stream = fopen("a", how);
    return stream ? fputs("hello", stream) + fclose(stream) : -1;
}

static long appended(void) {
    return write(open("a", O_WRONLY | O_APPEND), "k", 1);
}

static long extended(int folder, const char *path, int flags) {
    struct statx status;
    return statx(folder, path, flags, STATX_BASIC_STATS, &status) ? -1 : (long)status.stx_size;
}

static long copied(off_t at, size_t count) {
    int other = open("b", O_RDWR | O_CREAT, 0600);
    return sendfile(other, file, &at, count);
}

static long received(void) {
    int other = open("b", O_RDONLY);
    return sendfile(file, other, NULL, 3);
}

static long readable(void) {
    int count = -1;
    return ioctl(file, FIONREAD, &count) ? -1 : count;
}

static long in_memory(void) {
    int made = memfd_create("name", 0);
    return write(made, "abc", 3) + made * 10;
}

static long opens(const char *path, int flags) {
    return open(path, flags, 0600) < 0 ? -1 : 0;
}

static long mapped(void) {
    char *start = mmap(0, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    return start == MAP_FAILED ? -1 : start[0];
}

#define CALLS(CALL) \
    CALL(read(file, bytes, 2)) \
    CALL(write(file, "zz", 2)) \
    CALL(pread(file, bytes, 3, 1)) \
    CALL(pwrite(file, "yyyyyyyy", 8, 0)) \
    CALL(lseek(file, 0, SEEK_END)) \
    CALL(lseek(file, 1, SEEK_SET)) \
    CALL(lseek(file, 0, SEEK_CUR)) \
    CALL(ftruncate(file, 1)) \
    CALL(truncate("a", 0)) \
    CALL(size("a")) \
    CALL(size("new")) \
    CALL(unlink("a")) \
    CALL(remove("b")) \
    CALL(rename("a", "new")) \
    CALL(rename("a", "b")) \
    CALL(link("a", "new")) \
    CALL(symlink("a", "new")) \
    CALL(readlink("new", bytes, 9)) \
    CALL(access("a", F_OK)) \
    CALL(access("new", F_OK)) \
    CALL(access("a", X_OK)) \
    CALL(chmod("a", 0700)) \
    CALL(fchmod(file, 0444)) \
    CALL(mode()) \
    CALL(links()) \
    CALL(time_of("a")) \
    CALL(utimensat(AT_FDCWD, "a", (struct timespec[]){{5, 0}, {6, 0}}, 0)) \
    CALL(futimens(file, (struct timespec[]){{5, 0}, {7, 0}})) \
    CALL(opens("a", O_RDWR)) \
    CALL(opens("a", O_RDWR | O_TRUNC)) \
    CALL(opens("a", O_RDWR | O_CREAT | O_EXCL)) \
    CALL(opens("new", O_RDWR | O_CREAT | O_EXCL)) \
    CALL(opens("new", O_RDWR | O_CREAT)) \
    CALL(opens("new", O_RDONLY)) \
    CALL(creat("a", 0600) < 0) \
    CALL(appended()) \
    CALL(mkdir("new", 0700)) \
    CALL(rmdir("new")) \
    CALL(rmdir("e")) \
    CALL(posix_fallocate(file, 0, 20)) \
    CALL(first_of("a")) \
    CALL(first_of("new")) \
    CALL(written_with("w")) \
    CALL(written_with("a")) \
    CALL(written_with("r+")) \
    CALL(realpath("new", 0) != 0) \
    CALL(faccessat(AT_FDCWD, "a", X_OK, 0)) \
    CALL(linkat(AT_FDCWD, "a", AT_FDCWD, "new", 0)) \
    CALL(renameat2(AT_FDCWD, "a", AT_FDCWD, "new", RENAME_NOREPLACE)) \
    CALL(copy_file_range(file, 0, file, &(loff_t){20}, 3, 0)) \
    CALL(getxattr("a", "user.x", bytes, 4)) \
    CALL(setxattr("a", "user.x", "ab", 2, 0)) \
    CALL(extended(file, "", AT_EMPTY_PATH)) \
    CALL(extended(AT_FDCWD, "a", 0)) \
    CALL(extended(AT_FDCWD, "new", 0)) \
    CALL(copied(1, 2)) \
    CALL(received()) \
    CALL(readable()) \
    CALL(in_memory()) \
    CALL(preadv(file, (struct iovec[]){{bytes, 2}, {bytes + 2, 2}}, 2, 1)) \
    CALL(preadv2(file, (struct iovec[]){{bytes, 2}}, 1, -1, 0)) \
    CALL(pwritev(file, (struct iovec[]){{"rr", 2}, {"ss", 2}}, 2, 1)) \
    CALL(pwritev2(file, (struct iovec[]){{"rr", 2}}, 1, -1, 0)) \
    CALL(flock(file, LOCK_EX | LOCK_NB)) \
    CALL(flock(file, LOCK_SH | LOCK_NB)) \
    CALL(flock(file, LOCK_UN)) \
    CALL(flock(again, LOCK_EX | LOCK_NB)) \
    CALL(flock(again, LOCK_SH | LOCK_NB)) \
    CALL(flock(again, LOCK_SH | LOCK_NB) + flock(again, LOCK_EX | LOCK_NB)) \
    CALL(close(again)) \
    CALL(lockf(file, F_TEST, 0)) \
    CALL(fcntl(file, F_SETFL, O_APPEND)) \
    CALL(mapped()) \
    CALL(mkstemp((char[]){"tXXXXXX"}) < 0)

#include "driver.h"
