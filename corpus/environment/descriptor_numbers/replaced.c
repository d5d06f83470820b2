// dup2 makes a number another file while a thread reads by it: it never finds the number closed.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int file, other;

static void *replaces(void *argument) {
    assert(dup2(other, file) == file);
    return argument;
}

static void *reads(void *argument) {
    char byte = 0;
    const int count = pread(file, &byte, 1, 0);
    assert(NOT); // BUG: assertion
    return argument;
}

int main(void) {
    pthread_t threads[2];
    file = open("data", O_RDONLY);
    other = open("other", O_RDONLY);
    pthread_create(&threads[0], NULL, replaces, NULL);
    pthread_create(&threads[1], NULL, reads, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
