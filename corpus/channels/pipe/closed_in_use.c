// A thread closes the descriptor by which another one waits: what Linux does then is not modelled.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *arg) {
    char byte;
    read(ends[0], &byte, 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, reader, NULL);
    close(ends[0]);
    close(ends[1]);
    pthread_join(thread, NULL);
    return 0;
}
