// Both threads write more than a pipe has room for before they read.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

enum { SIZE = 65536 + 1 };
static int there[2], back[2];
static char from_main[SIZE], from_other[SIZE], in_main[SIZE], in_other[SIZE];

static void receive(int end, char *to) {
    for (long got = 0, more; got < SIZE; got += more) {
        more = read(end, to + got, SIZE - got);
        assert(more > 0);
    }
}

static void *other(void *arg) {
#ifdef READS_FIRST
    receive(there[0], in_other);
    write(back[1], from_other, SIZE);
#else
    write(back[1], from_other, SIZE); // BUG: deadlock
    receive(there[0], in_other);
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
    assert(pipe(there) == 0 && pipe(back) == 0);
    pthread_create(&thread, NULL, other, NULL);
    assert(write(there[1], from_main, SIZE) == SIZE); // BUG: deadlock
    receive(back[0], in_main);
    pthread_join(thread, NULL);
    return 0;
}
