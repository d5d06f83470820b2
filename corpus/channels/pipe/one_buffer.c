// Both threads use one buffer, one after the other: what a read writes there comes after its wait.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int there[2], back[2];
static char buffer;

static void *other(void *arg) {
    read(there[0], &buffer, 1);
    buffer++;
    write(back[1], &buffer, 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    assert(pipe(there) == 0 && pipe(back) == 0);
    pthread_create(&thread, NULL, other, NULL);
    buffer = 'a';
    write(there[1], &buffer, 1);
    assert(read(back[0], &buffer, 1) == 1);
    assert(buffer == 'b');
    pthread_join(thread, NULL);
    return 0;
}
