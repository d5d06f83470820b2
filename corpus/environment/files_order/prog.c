// What one thread does to a file is seen by another one, or not yet: both come up, whichever ways the two take to the
// file. EARLY and LATE each assert the opposite.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int descriptor;
static FILE *stream;

static void *change(void *arg) {
#if defined(DESCRIPTORS)
    int own = open("file", O_WRONLY);
    if (write(own, "x", 1) != 1)
        return &descriptor;
    close(own);
#elif defined(STREAMS)
    fputs("x", stream);
    fflush(stream);
#elif defined(RENAME)
    rename("file", "other");
#elif defined(CLOSE)
    close(descriptor);
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
    descriptor = open("file", O_CREAT | O_RDWR | O_TRUNC, 0600);
    stream = fopen("file", "r+");
#if defined(STREAMS)
    FILE *reader = fopen("file", "r");
#endif
    pthread_create(&thread, NULL, change, NULL);
#if defined(DESCRIPTORS)
    char byte;
    int changed = read(descriptor, &byte, 1) == 1;
#elif defined(STREAMS)
    int changed = fgetc(reader) == 'x';
#elif defined(RENAME)
    int changed = access("file", F_OK) != 0;
#elif defined(CLOSE)
    char byte;
    int changed = pread(descriptor, &byte, 1, 0) < 0;
#endif
#ifdef EARLY
    assert(changed); // BUG: assertion(early)
#else
    assert(!changed); // BUG: assertion(late)
#endif
    pthread_join(thread, NULL);
    return 0;
}
