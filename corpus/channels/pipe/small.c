// A pipe with room for one page: each piece has to be read before the next one is written.
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

enum { PAGE = 4096 };
static int ends[2];
static char page[PAGE];

static void *writer(void *arg) {
    assert(write(ends[1], page, PAGE) == PAGE);
    assert(write(ends[1], page, PAGE) == PAGE);
    return arg;
}

int main(void) {
    pthread_t thread;
    static char got[PAGE];
    assert(pipe(ends) == 0 && fcntl(ends[0], F_SETPIPE_SZ, PAGE) == PAGE);
    pthread_create(&thread, NULL, writer, NULL);
    assert(read(ends[0], got, PAGE) == PAGE);
    assert(read(ends[0], got, PAGE) == PAGE);
    pthread_join(thread, NULL);
    return 0;
}
