// Constructors are part of each run: what they do to locks, files, masks, clocks and threads lasts into main, and is undone.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#if defined LOCKED
// Whoever unlocks what the constructor has locked is the thread that goes on with main.
__attribute__((constructor)) static void begin(void) {
    pthread_mutex_lock(&mutex);
}

static void *other(void *argument) {
    pthread_mutex_lock(&mutex); // BUG: deadlock
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void check(void) {
#ifndef FORGOTTEN
    pthread_mutex_unlock(&mutex);
#endif
}
#elif defined FILES
// In each run anew: the file is not there, and a number is left from the constructor.
static int fd;

__attribute__((constructor(101))) static void first(void) {
    struct stat status;
    assert(stat("made", &status) == -1 && errno == ENOENT);
    fd = open("made", O_CREAT | O_EXCL | O_RDWR, 0600);
}

__attribute__((constructor(102))) static void second(void) {
    assert(write(fd, "ab", 2) == 2);
}

static void *other(void *argument) {
    char byte;
    pthread_mutex_lock(&mutex);
    assert(pread(fd, &byte, 1, 1) == 1 && byte == 'b');
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void check(void) {
    pthread_mutex_lock(&mutex);
    assert(lseek(fd, 0, SEEK_CUR) == 2);
    pthread_mutex_unlock(&mutex);
}
#elif defined CLOCK
static struct timespec early;

__attribute__((constructor)) static void begin(void) {
    sigset_t set;
    clock_gettime(CLOCK_MONOTONIC, &early);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
}

static void *other(void *argument) {
    return argument;
}

static void check(void) {
    struct timespec now;
    sigset_t set;
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert(now.tv_sec > early.tv_sec || (now.tv_sec == early.tv_sec && now.tv_nsec >= early.tv_nsec));
    pthread_sigmask(SIG_BLOCK, 0, &set);
    assert(sigismember(&set, SIGUSR1));
}
#elif defined CHANGES
// A constructor's accesses are the main thread's, in order before everything that other threads do, but for those that it
// has created itself.
static int shared;
static pthread_t early;

static void *reads(void *argument) {
    if (shared) // BUG: data-race
        pthread_mutex_lock(&mutex);
    return argument;
}

__attribute__((constructor)) static void begin(void) {
    pthread_create(&early, 0, reads, 0);
#ifdef RACE
    shared = 1; // BUG: data-race
#endif
    pthread_join(early, 0);
}

static void *other(void *argument) {
    return argument;
}

static void check(void) {
}
#elif defined FORKS
__attribute__((constructor)) static void begin(void) {
    if (system("true"))
        abort();
}

static void *other(void *argument) {
    return argument;
}

static void check(void) {
}
#endif

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    check();
    pthread_join(thread, 0);
    return 0;
}
