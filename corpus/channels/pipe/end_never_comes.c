// The reader has a descriptor of the end to write by open itself, and waits for ever for the end of the data.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2], copy;

static void *writer(void *arg) {
    write(copy, "x", 1);
    close(copy);
    return arg;
}

int main(void) {
    pthread_t thread;
    char byte = 0;
    assert(pipe(ends) == 0);
    copy = dup(ends[1]);
    pthread_create(&thread, NULL, writer, NULL);
#ifdef CLOSED
    close(ends[1]);
#endif
    assert(read(ends[0], &byte, 1) == 1);
    assert(read(ends[0], &byte, 1) == 0); // BUG: deadlock
    pthread_join(thread, NULL);
    return 0;
}
