// The address of a variable of main is kept as a number by the system, from where the thread gets it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int fd;
static FILE *stream;

static void keep(long number) {
#if defined LIMIT
    struct rlimit limit = {number, RLIM_INFINITY};
    setrlimit(RLIMIT_CORE, &limit);
#elif defined PROCESS_LIMIT
    struct rlimit limit = {number, RLIM_INFINITY};
    prlimit(0, RLIMIT_CORE, &limit, NULL);
#elif defined TIMES
    struct timespec times[2] = {{0, 0}, {number, 0}};
    futimens(fd, times);
#elif defined BYTES
    for (int i = 0; i < 8; i++)
        fputc((int)(number >> 8 * i & 255), stream);
    fflush(stream);
#endif
}

static long kept(void) {
    long number = 0;
#if defined LIMIT
    struct rlimit limit;
    getrlimit(RLIMIT_CORE, &limit);
    number = (long)limit.rlim_cur;
#elif defined PROCESS_LIMIT
    struct rlimit limit;
    prlimit(0, RLIMIT_CORE, NULL, &limit);
    number = (long)limit.rlim_cur;
#elif defined TIMES
    struct stat status;
    fstat(fd, &status);
    number = status.st_mtim.tv_sec;
#elif defined BYTES
    pread(fd, &number, sizeof number, 0);
#endif
    return number;
}

static void *use(void *unused) {
    (void)unused;
    ++*(int *)kept(); // BUG: data-race
    return NULL;
}

int main(void) {
    int x __attribute__((aligned(4096))) = 0;
    pthread_t thread;
    stream = fopen("kept", "w+");
    fd = fileno(stream);
    keep((long)&x);
    pthread_create(&thread, NULL, use, NULL);
#ifdef CORRECT
    pthread_join(thread, NULL);
    x++;
#else
    x++; // BUG: data-race
    pthread_join(thread, NULL);
#endif
    fclose(stream);
    return 0;
}
