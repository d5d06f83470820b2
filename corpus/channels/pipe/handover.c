// What is read from a pipe was written before: what the writer did before its write happens before what follows the
// read.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int data;

static void *writer(void *arg) {
    data = 1;
    write(ends[1], "x", 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    char byte = 0;
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, writer, NULL);
    assert(read(ends[0], &byte, 1) == 1 && byte == 'x');
    assert(data == 1);
    pthread_join(thread, NULL);
    return 0;
}
