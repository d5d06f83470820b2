// The position of a stream tells one thread what the other one has written. That output of different threads counts as
// independent does not cover this.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static FILE *stream;
static long position;

static void *writer(void *arg) {
    fputs("ab", stream);
    return arg;
}

static void *reader(void *arg) {
    position = ftell(stream);
    return arg;
}

int main(void) {
    pthread_t a, b;
    stream = fopen("/dev/null", "w");
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    fclose(stream);
    assert(position == 2); // BUG: assertion
    return 0;
}
