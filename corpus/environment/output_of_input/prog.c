/* A read of a stream without a buffer writes out a line of `stdout` first. Another thread looks at the file meanwhile. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

static FILE *input;

static void *look(void *argument) {
    struct stat about;
    assert(stat("output", &about) == 0);
    assert(about.st_size == 0); // BUG: assertion
    return argument;
}

static void *get(void *argument) {
    assert(getc(input) == 't');
    return argument;
}

int main(void) {
    pthread_t threads[2];
    input = fopen("input", "r");
    setvbuf(input, 0, MODE, 0);
    freopen("output", "w", stdout);
    setvbuf(stdout, 0, _IOLBF, 0);
    putchar('x');
    pthread_create(&threads[0], 0, look, 0);
    pthread_create(&threads[1], 0, get, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
