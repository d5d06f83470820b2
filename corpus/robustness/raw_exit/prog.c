// Ends by raw system calls. That of the process ends all threads; `exit` ends the calling thread only, without any of what
// the C library does at a thread's end.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static int done;

static void *ends(void *argument) {
    CALL; // BUG: crash
    done = 1;
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, ends, NULL);
    pthread_join(thread, NULL);
    assert(done);
    syscall(SYS_exit, 0);
    assert(0);
}
