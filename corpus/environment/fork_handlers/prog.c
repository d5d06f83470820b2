// A library registers what is to be done at a fork, in a program that never forks; with FORKS, it does.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int calls;

static void note(void) { calls++; }

static void *work(void *argument) {
    assert(pthread_atfork(note, note, note) == 0);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    assert(pthread_atfork(note, note, note) == 0);
    pthread_join(thread, 0);
#ifdef FORKS
    fork();
#endif
    assert(calls == 0);
    return 0;
}
