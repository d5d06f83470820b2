// A variable of a thread is written by its distance from the beginning of the thread's segment, and by another thread.
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

static _Thread_local int own;
static int *given;

static void *write(void *arg) {
    *given = 2;
    return arg;
}

int main(void) {
    given = &own;
    pthread_t t;
    pthread_create(&t, NULL, write, NULL);
    uintptr_t beginning = (uintptr_t)__builtin_thread_pointer();
    *(int __seg_fs *)((uintptr_t)&own - beginning) = 1;
    pthread_join(t, NULL);
    return 0;
}
