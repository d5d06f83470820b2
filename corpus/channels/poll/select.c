// select waits for one of two pipes.
#include <assert.h>
#include <pthread.h>
#include <sys/select.h>
#include <unistd.h>

static int one[2], two[2];

static void *writer(void *arg) {
    write(two[1], "x", 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    fd_set reads;
    assert(pipe(one) == 0 && pipe(two) == 0);
    pthread_create(&thread, NULL, writer, NULL);
    FD_ZERO(&reads);
    FD_SET(one[0], &reads);
    FD_SET(two[0], &reads);
    assert(select(two[0] + 1, &reads, NULL, NULL, NULL) == 1);
    assert(FD_ISSET(two[0], &reads) && !FD_ISSET(one[0], &reads));
    pthread_join(thread, NULL);
    return 0;
}
