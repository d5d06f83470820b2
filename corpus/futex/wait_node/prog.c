// A node on the stack of who waits for a grace period, as user-space RCU has it: the waker says that it has woken the
// waiter, wakes it if it sleeps, and then says that it is done with the node, which the waiter may give up only then.
// If the waiter does not wait for that (HURRIES), the waker writes to a variable that has ended.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WAITING = 0, WAKEUP = 1, RUNNING = 2, TEARDOWN = 4 };

struct node {
    atomic_int state;
};

static struct node *waiting;

static void *waker(void *arg) {
    struct node *node = waiting;
    atomic_store(&node->state, WAKEUP);
    if (!(atomic_load(&node->state) & RUNNING)) // BUG: heap-use-after-free(load)
        syscall(SYS_futex, &node->state, FUTEX_WAKE, 1, NULL, NULL, 0);
    atomic_fetch_or(&node->state, TEARDOWN); // BUG: heap-use-after-free(teardown)
    return arg;
}

static void busy_wait(struct node *node) {
    while (atomic_load(&node->state) == WAITING)
        syscall(SYS_futex, &node->state, FUTEX_WAIT, WAITING, NULL, NULL, 0);
    atomic_fetch_or(&node->state, RUNNING);
#ifndef HURRIES
    while (!(atomic_load(&node->state) & TEARDOWN))
        ;
#endif
}

int main(void) {
    pthread_t thread;
    waiting = malloc(sizeof *waiting);
    atomic_init(&waiting->state, WAITING);
    pthread_create(&thread, NULL, waker, NULL);
    busy_wait(waiting);
    free(waiting); // BUG: data-race
    pthread_join(thread, NULL);
    return 0;
}
