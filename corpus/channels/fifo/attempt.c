// A thread opens the end to write to without waiting: nobody may have opened the other one.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

static void *writer(void *arg) {
    int end = open("pipe", O_WRONLY | O_NONBLOCK);
#ifdef SURE
    assert(end >= 0); // BUG: assertion
#endif
    assert(end >= 0 || errno == ENXIO);
    return arg;
}

int main(void) {
    pthread_t thread;
    assert(mkfifo("pipe", 0600) == 0);
    pthread_create(&thread, NULL, writer, NULL);
    assert(open("pipe", O_RDONLY | O_NONBLOCK) >= 0);
    pthread_join(thread, NULL);
    return 0;
}
