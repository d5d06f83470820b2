// A thread closes a descriptor twice. The second time the number may be another thread's new descriptor.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *closes(void *argument) {
    for (int i = 0; i < TIMES; i++)
        close(*(int *)argument);
    return NULL;
}

static void *reads(void *argument) {
    const int file = open("other", O_RDONLY);
    char byte;
    assert(read(file, &byte, 1) == 1); // BUG: assertion
    return argument;
}

int main(void) {
    pthread_t threads[2];
    int file = open("data", O_RDONLY);
    pthread_create(&threads[0], NULL, closes, &file);
    pthread_create(&threads[1], NULL, reads, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
