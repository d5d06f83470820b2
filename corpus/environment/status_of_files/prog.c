// statx tells what stat tells; of the file behind a descriptor, it depends on what others write to that.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int file;

static void *thread(void *arg) {
#if defined(DESCRIPTOR) || defined(OLD) || defined(PATH)
    assert(write(file, "more", 4) == 4);
#elif defined(RACES)
    ((struct statx *)arg)->stx_size = 0; // BUG: data-race(write)
#endif
    return arg;
}

static void check(void) {
    struct statx shown;
    struct stat status;
    assert(statx(AT_FDCWD, "file", 0, STATX_BASIC_STATS, &shown) == 0 && stat("file", &status) == 0);
    assert((shown.stx_mask & STATX_BASIC_STATS) == STATX_BASIC_STATS);
    assert(shown.stx_ino == status.st_ino && shown.stx_size == (unsigned long)status.st_size);
    assert(shown.stx_mode == status.st_mode && shown.stx_nlink == status.st_nlink && shown.stx_uid == status.st_uid);
    assert(shown.stx_gid == status.st_gid && shown.stx_blocks == (unsigned long)status.st_blocks);
    assert(shown.stx_blksize == (unsigned)status.st_blksize);
    assert(makedev(shown.stx_dev_major, shown.stx_dev_minor) == status.st_dev);
    assert(shown.stx_mtime.tv_sec == status.st_mtim.tv_sec && shown.stx_mtime.tv_nsec == status.st_mtim.tv_nsec);
    assert(shown.stx_ctime.tv_sec == status.st_ctim.tv_sec);
    assert(symlink("file", "link") == 0 && statx(AT_FDCWD, "link", AT_SYMLINK_NOFOLLOW, STATX_MODE, &shown) == 0);
    assert(S_ISLNK(shown.stx_mode));
    assert(statx(AT_FDCWD, "missing", 0, STATX_MODE, &shown) == -1 && errno == ENOENT);
    assert(statx(AT_FDCWD, "file", 1 << 20, STATX_MODE, &shown) == -1 && errno == EINVAL);
    assert(statx(77, "", AT_EMPTY_PATH, STATX_MODE, &shown) == -1 && errno == EBADF);
}

int main(void) {
    pthread_t other;
    struct statx shown = {0};
    struct stat status;
    (void)status;
    file = open("file", O_RDWR | O_APPEND);
#ifdef CHECKS
    check();
#endif
    pthread_create(&other, NULL, thread, &shown);
#if defined(DESCRIPTOR)
    assert(statx(file, "", AT_EMPTY_PATH, STATX_SIZE, &shown) == 0);
    assert(shown.stx_size == 6 || shown.stx_size == 10);
    assert(shown.stx_size == WANTED); // BUG: assertion(size)
#elif defined(OLD)
    assert(fstatat(file, "", &status, AT_EMPTY_PATH) == 0);
    assert(status.st_size == WANTED); // BUG: assertion(size)
#elif defined(PATH)
    assert(statx(AT_FDCWD, "file", 0, STATX_SIZE, &shown) == 0);
    assert(shown.stx_size == WANTED); // BUG: assertion(size)
#elif defined(RACES)
    statx(AT_FDCWD, "file", 0, STATX_SIZE, &shown); // BUG: data-race(write)
#endif
    pthread_join(other, NULL);
    (void)check;
    return 0;
}
