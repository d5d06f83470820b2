// A thread closes standard output while another one writes to it.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static void *closes(void *argument) {
    close(1);
    return argument;
}

static void *writes(void *argument) {
    const int count = write(1, "x", 1);
    assert(NOT); // BUG: assertion
    return argument;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, closes, NULL);
    pthread_create(&threads[1], NULL, writes, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
