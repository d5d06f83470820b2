// Two threads hand over a message by a pipe with a name: each opens its end, and waits until the other one is open.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

static int before, behind;

static void *writer(void *arg) {
#ifndef NOBODY
    before = 1;
    int end = open("pipe", O_WRONLY);
    assert(end >= 0);
    assert(write(end, "abc", 3) == 3);
#ifdef LATE
    behind = 1; // BUG: data-race
#endif
    assert(close(end) == 0);
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
    char text[8];
    assert(mkfifo("pipe", 0600) == 0);
    pthread_create(&thread, NULL, writer, NULL);
    int end = open("pipe", O_RDONLY); // BUG: deadlock
    assert(end >= 0 && before == 1);
    assert(read(end, text, sizeof text) == 3 && text[2] == 'c');
    assert(behind <= 1); // BUG: data-race
    assert(read(end, text, sizeof text) == 0);
    pthread_join(thread, NULL);
    assert(close(end) == 0 && unlink("pipe") == 0);
    return 0;
}
