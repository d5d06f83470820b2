// Two writers, and a reader that takes one byte at a time.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *arg) {
    write(ends[1], arg, 1);
    return NULL;
}

int main(void) {
    pthread_t one, two;
    char first = 0, second = 0;
    assert(pipe(ends) == 0);
    pthread_create(&one, NULL, writer, "a");
    pthread_create(&two, NULL, writer, "b");
    assert(read(ends[0], &first, 1) == 1);
    assert(read(ends[0], &second, 1) == 1);
#ifdef IN_ORDER
    assert(first == 'a' && second == 'b'); // BUG: assertion
#else
    assert(first + second == 'a' + 'b');
#endif
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
