// A thread closes a file and opens another one, which gets the number, while a thread reads by that number: it reads the
// first file, none, or the other one.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static int file;
static atomic_int looks;

static void *changes(void *argument) {
    close(file);
    assert(open("other", O_RDONLY) == file);
    return argument;
}

static void *reads(void *argument) {
    char byte = 0;
#ifdef LOOKS
    assert(atomic_load(&looks) == 0);
#endif
    const int count = pread(file, &byte, 1, 0);
    assert(NOT); // BUG: assertion
    return argument;
}

int main(void) {
    pthread_t threads[2];
    file = open("data", O_RDONLY);
    pthread_create(&threads[0], NULL, changes, NULL);
    pthread_create(&threads[1], NULL, reads, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
