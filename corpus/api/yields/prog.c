// A loop that yields by YIELD until main has set a flag.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <threads.h>

static atomic_int flag;

static void *waits(void *arg) {
    while (!atomic_load(&flag)) YIELD;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, waits, 0);
    atomic_store(&flag, 1);
    pthread_join(thread, 0);
    return 0;
}
