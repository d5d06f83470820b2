// The writer closes its end: the reader comes to the end of the data, and after all that the writer did.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int count;

static void *writer(void *arg) {
    write(ends[1], "x", 1);
    count = 1;
    close(ends[1]);
    return arg;
}

int main(void) {
    pthread_t thread;
    char byte = 0;
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, writer, NULL);
    assert(read(ends[0], &byte, 1) == 1);
    assert(read(ends[0], &byte, 1) == 0);
    assert(count == 1);
    pthread_join(thread, NULL);
    return 0;
}
