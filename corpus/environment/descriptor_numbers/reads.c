// Each thread opens a file, reads it and closes it again.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *reads(void *argument) {
    const int file = open("data", O_RDONLY);
    char byte;
    for (int i = 0; i < 3; i++)
        assert(read(file, &byte, 1) == 1);
    close(file);
    return argument;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, reads, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
