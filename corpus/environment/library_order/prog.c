// Calls without a race whose order decides about their results: both orders are tried, so that each of the two
// assertions about them fails in one.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int fd;
static FILE *file;
static int value = 1;

static void prepare(void) {
#if defined FLUSH
    file = fopen("made", "w");
    fputs("hello", file);
#else
    fd = open("made", O_RDWR | O_CREAT, 0600);
#endif
}

static void add(void) { value += 1; }
static void twice(void) { value *= 2; }

static void check(void) {
#if defined HANDLERS
    // In the opposite order of their registration.
    assert(value == (FIRST ? 3 : 4)); // BUG: assertion
#endif
}

static void *thread(void *argument) {
#if defined HANDLERS
    atexit(add);
#elif defined FLUSH
    fflush(NULL);
#elif defined REPLACE
    dup2(fd, 30);
#elif defined CONCURRENCY
    pthread_setconcurrency(5);
#else
    close(fd);
#endif
    return argument;
}

static int main_thread(void) {
#if defined HANDLERS
    atexit(twice);
    return FIRST;
#elif defined FLUSH
    struct stat status;
    stat("made", &status);
    return status.st_size == 0;
#elif defined REPLACE
    return close(30) == 0;
#elif defined CONCURRENCY
    return pthread_getconcurrency() == 0;
#elif defined SYNCHRONISE
    return fsync(fd) == 0;
#elif defined TERMINAL
    isatty(fd);
    return errno != EBADF;
#elif defined STREAM
    return fdopen(fd, "r") != NULL;
#elif defined DUPLICATE
    return dup2(fd, 30) == 30;
#endif
}

int main(void) {
    pthread_t other;
    prepare();
    atexit(check);
    (void)add, (void)twice;
    pthread_create(&other, NULL, thread, NULL);
    int first = main_thread();
    pthread_join(other, NULL);
    assert(first == FIRST); // BUG: assertion
    return 0;
}
