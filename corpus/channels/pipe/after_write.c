// The data are changed after the write: the read says nothing of them.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int data;

static void *writer(void *arg) {
    write(ends[1], "x", 1);
    data = 1; // BUG: data-race(data)
    return arg;
}

int main(void) {
    pthread_t thread;
    char byte = 0;
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, writer, NULL);
    assert(read(ends[0], &byte, 1) == 1);
    int seen = data; // BUG: data-race(data)
    pthread_join(thread, NULL);
    return seen & 0;
}
