// Two threads that talk through a file: whether it exists, and what it contains. The assertions fail if the second
// thread comes first.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int seen;
#ifdef CONTENTS
static int descriptor;
#endif

static void *first(void *arg) {
#ifdef CONTENTS
    if (pwrite(descriptor, "x", 1, 0) != 1)
        return &seen;
#else
    close(open("flag", O_RDWR | O_CREAT, 0600));
#endif
    return arg;
}

static void *second(void *arg) {
#ifdef CONTENTS
    char byte = 0;
    seen = pread(descriptor, &byte, 1, 0) == 1 && byte == 'x';
#else
    seen = access("flag", F_OK) == 0;
#endif
    return arg;
}

int main(void) {
    pthread_t a, b;
#ifdef CONTENTS
    descriptor = open("contents", O_RDWR | O_CREAT, 0600);
#endif
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(seen); // BUG: assertion
    return 0;
}
