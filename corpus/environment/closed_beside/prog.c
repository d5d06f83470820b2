// The thread that has opened a file closes it while another thread asks about it: what the other one gets depends on which
// comes first.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int file;

static void *ask(void *argument) {
    struct stat status;
    char byte;
    (void)status, (void)byte;
    assert(CALL); // BUG: assertion
    return argument;
}

int main(void) {
    pthread_t other;
    file = open("data", O_RDONLY);
    assert(file >= 0);
    pthread_create(&other, NULL, ask, NULL);
#ifdef JOINS
    pthread_join(other, NULL);
    close(file);
#else
    close(file);
    pthread_join(other, NULL);
#endif
    return 0;
}
