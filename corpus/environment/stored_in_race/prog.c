// What a call stores is seen by another thread, in a race that is no finding: whether before the call or after it, the
// thread finds it there.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static char byte;
static atomic_int begun;

static void *looks(void *unused) {
    while (!begun) {
    }
    assert(*(volatile char *)&byte != 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    int file = open("data", O_RDONLY);
    pthread_create(&thread, 0, looks, 0);
    begun = 1;
    read(file, &byte, 1);
    pthread_join(thread, 0);
}
