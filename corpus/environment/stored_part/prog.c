// A call is given more room than it needs. Another thread uses one byte of it: behind what was stored, or the last byte
// of that (LAST).
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static char buffer[64];
static int at;

static void *use(void *unused) {
    (void)unused;
    buffer[at] = 1; // BUG: data-race
    return NULL;
}

int main(void) {
    pthread_t thread;
    int stored = 0;
    FILE *stream = fopen("file", "r"); // "ab\ncdefg"
    int fd = open("file", O_RDONLY);
    struct tm when = {0};
    struct iovec pieces[2] = {{buffer, 6}, {buffer + 6, 20}};
#if defined READ || defined RAW || defined PREAD || defined READV
    stored = 8;
#elif defined FREAD
    stored = 8;
#elif defined FGETS
    stored = 4;
#elif defined LAST_LINE
    stored = 6;
    fgets(buffer, sizeof buffer, stream);
#elif defined STRFTIME
    stored = 5;
#elif defined HOSTNAME
    gethostname(buffer, sizeof buffer);
    stored = (int)strlen(buffer) + 1;
#elif defined CWD
    char *name = getcwd(NULL, 0);
    stored = (int)strlen(name) + 1;
    free(name);
    if (stored >= (int)sizeof buffer)
        return 0;
#endif
#ifdef LAST
    at = stored - 1;
#else
    at = stored;
#endif
    pthread_create(&thread, NULL, use, NULL);
#if defined READ
    read(fd, buffer, sizeof buffer); // BUG: data-race
#elif defined RAW
    syscall(SYS_read, fd, buffer, sizeof buffer); // BUG: data-race
#elif defined PREAD
    pread(fd, buffer, sizeof buffer, 0); // BUG: data-race
#elif defined READV
    readv(fd, pieces, 2); // BUG: data-race
#elif defined FREAD
    fread(buffer, 3, 10, stream); // BUG: data-race
#elif defined FGETS || defined LAST_LINE
    fgets(buffer, sizeof buffer, stream); // BUG: data-race
#elif defined STRFTIME
    strftime(buffer, sizeof buffer, "%H%M", &when); // BUG: data-race
#elif defined HOSTNAME
    gethostname(buffer, sizeof buffer); // BUG: data-race
#elif defined CWD
    getcwd(buffer, sizeof buffer); // BUG: data-race
#endif
    pthread_join(thread, NULL);
    (void)pieces;
    (void)when;
    fclose(stream);
    close(fd);
    return 0;
}
