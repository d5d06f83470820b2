// A copy from one file to another is one step, before or after what others do to either of them.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

static int from, to;

static void *thread(void *arg) {
#if defined(SOURCE)
    assert(pwrite(from, "X", 1, 0) == 1);
#elif defined(TARGET)
    char found = 0;
    assert(pread(to, &found, 1, 0) <= 1);
    assert(found != 'a'); // BUG: assertion(target)
#endif
    return arg;
}

static void check(void) {
    char text[8];
    off_t at = 2;
    loff_t in = 0, out = 3;
    assert(sendfile(to, from, &at, 2) == 2 && at == 4 && lseek(from, 0, SEEK_CUR) == 0 && lseek(to, 0, SEEK_CUR) == 2);
    assert(sendfile(to, from, NULL, 100) == 6 && lseek(from, 0, SEEK_CUR) == 6 && lseek(to, 0, SEEK_CUR) == 8);
    assert(pread(to, text, 8, 0) == 8 && memcmp(text, "cdabcdef", 8) == 0);
    assert(copy_file_range(from, &in, to, &out, 3, 0) == 3 && in == 3 && out == 6);
    assert(pread(to, text, 8, 0) == 8 && memcmp(text, "cdaabcef", 8) == 0);
    assert(copy_file_range(from, &in, to, NULL, 100, 0) == 3 && lseek(to, 0, SEEK_CUR) == 11);
    in = 0, out = 1;
    assert(copy_file_range(to, &in, to, &out, 4, 0) == -1 && errno == EINVAL);
    assert(copy_file_range(from, NULL, to, NULL, 4, 1) == -1 && errno == EINVAL);
    assert(copy_file_range(from, NULL, 77, NULL, 4, 0) == -1 && errno == EBADF);
    assert(sendfile(open("file", O_RDONLY), from, NULL, 4) == -1 && errno == EBADF);
    int appends = open("other", O_WRONLY | O_APPEND);
    assert(sendfile(appends, from, NULL, 4) == -1 && errno == EINVAL);
    assert(copy_file_range(from, NULL, appends, NULL, 4, 0) == -1 && errno == EBADF);
    in = 0;
    assert(sendfile(1, from, &in, 2) == 2);
}

int main(void) {
    pthread_t other;
    from = open("file", O_RDWR);
    to = open("other", O_RDWR | O_CREAT | O_TRUNC, 0600);
#ifdef CHECKS
    check();
#endif
    pthread_create(&other, NULL, thread, NULL);
#if defined(SOURCE)
    off_t at = 0;
    char found;
    assert(sendfile(to, from, &at, 1) == 1 && pread(to, &found, 1, 0) == 1);
    assert(found == WANTED); // BUG: assertion(source)
#elif defined(TARGET)
    loff_t at = 0;
    assert(copy_file_range(from, &at, to, NULL, 1, 0) == 1);
#endif
    pthread_join(other, NULL);
#ifdef PIPE
    int ends[2];
    pipe(ends);
    sendfile(ends[1], from, NULL, 1);
#endif
    (void)check;
    return 0;
}
