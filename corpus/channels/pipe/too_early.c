// The data are looked at before the byte was read that says that they are there.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int data;

static void *writer(void *arg) {
    data = 1; // BUG: data-race(data)
    write(ends[1], "x", 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    char byte = 0;
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, writer, NULL);
    int seen = data; // BUG: data-race(data)
    assert(read(ends[0], &byte, 1) == 1);
    pthread_join(thread, NULL);
    return seen & 0;
}
