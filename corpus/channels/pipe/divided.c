// Writes of up to PIPE_BUF bytes are not divided. Larger ones are, where there is no room for them, and those of
// several threads mix.
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096 };
#ifdef LARGE
enum { SIZE = 2 * PAGE };
#else
enum { SIZE = PAGE };
#endif
static int ends[2];

static void *writer(void *arg) {
    char piece[SIZE];
    memset(piece, *(char *)arg, SIZE);
    assert(write(ends[1], piece, SIZE) == SIZE);
    return NULL;
}

int main(void) {
    pthread_t one, two;
    static char got[2 * SIZE];
    assert(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, PAGE) == PAGE);
    pthread_create(&one, NULL, writer, "a");
    pthread_create(&two, NULL, writer, "b");
    for (int at = 0; at < 2 * SIZE; at += PAGE)
        assert(read(ends[0], got + at, PAGE) == PAGE);
    assert(got[0] == got[SIZE - 1]); // BUG: assertion
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
