// A thread reads by a number that nobody has given it, while another thread opens a file.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int next;

static void *opens(void *argument) {
    assert(open("data", O_RDONLY) == next);
    return argument;
}

static void *reads(void *argument) {
    char byte;
    const int count = pread(next, &byte, 1, 0);
    assert(NOT); // BUG: assertion
    return argument;
}

int main(void) {
    pthread_t threads[2];
    next = open("data", O_RDONLY);
    close(next);
    pthread_create(&threads[0], NULL, opens, NULL);
    pthread_create(&threads[1], NULL, reads, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
