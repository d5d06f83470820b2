// A write that does not fit goes on when its reader has read: what the reader changes then is written still.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static char buffer[8192];

static void *writes(void *unused) {
    write(ends[1], buffer, sizeof buffer);
    return unused;
}

int main(void) {
    pthread_t thread;
    char page[4096];
    pipe(ends);
    fcntl(ends[1], F_SETPIPE_SZ, 4096);
    pthread_create(&thread, 0, writes, 0);
    read(ends[0], page, 4096);
#ifdef AFTER_THE_REST
    read(ends[0], page, 4096);
    pthread_join(thread, 0);
    buffer[4096] = 1;
#else
    buffer[4096] = 1; // BUG: data-race
    read(ends[0], page, 4096);
    pthread_join(thread, 0);
#endif
}
