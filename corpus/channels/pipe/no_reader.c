// A write to a pipe that nobody can read from sends SIGPIPE, which ends the process unless it is ignored.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *arg) {
#ifdef IGNORED
    assert(write(ends[1], "x", 1) == 1 || errno == EPIPE);
#else
    write(ends[1], "x", 1); // BUG: crash
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
#ifdef IGNORED
    signal(SIGPIPE, SIG_IGN);
#endif
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, writer, NULL);
    close(ends[0]);
    pthread_join(thread, NULL);
    return 0;
}
