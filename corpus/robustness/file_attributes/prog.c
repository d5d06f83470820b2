// Gives a file permissions and times, by path and by descriptor, renames it, and finds them again. Nothing of this may be
// on the disk afterwards, and every run finds it as the first one did.
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <stdio.h>

static atomic_int x;

static void *thread(void *arg) {
    atomic_fetch_add(&x, 1);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t a, b;
    struct stat stat_of;
    char other[512];
    if (argc != 2)
        return 1;
    snprintf(other, sizeof other, "%s.renamed", argv[1]);
    if (chmod(argv[1], 0600) == 0 || stat(other, &stat_of) == 0)
        return 2;
    int fd = open(argv[1], O_WRONLY | O_CREAT | O_EXCL, 0640);
    if (fd < 0 || write(fd, "text", 4) != 4)
        return 3;
    if (fchmod(fd, 0400) != 0 || fstat(fd, &stat_of) != 0 || (stat_of.st_mode & 07777) != 0400)
        return 4;
    if (chown(argv[1], getuid(), getgid()) != 0 || chmod(argv[1], 0751) != 0)
        return 5;
    struct timeval when[2] = {{1000, 5}, {2000, 6}};
    if (utimes(argv[1], when) != 0 || close(fd) != 0 || rename(argv[1], other) != 0)
        return 6;
    if (stat(argv[1], &stat_of) == 0 || stat(other, &stat_of) != 0 || stat_of.st_size != 4)
        return 7;
    if ((stat_of.st_mode & 07777) != 0751 || stat_of.st_atim.tv_sec != 1000 || stat_of.st_atim.tv_nsec != 5000 ||
        stat_of.st_mtim.tv_sec != 2000 || stat_of.st_mtim.tv_nsec != 6000)
        return 8;
    struct timespec keep[2] = {{0, UTIME_OMIT}, {3000, 7}};
    if (utimensat(AT_FDCWD, other, keep, 0) != 0 || stat(other, &stat_of) != 0 || stat_of.st_atim.tv_sec != 1000 ||
        stat_of.st_mtim.tv_sec != 3000)
        return 9;
    pthread_create(&a, 0, thread, 0);
    pthread_create(&b, 0, thread, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
