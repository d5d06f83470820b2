// Two calls join or detach one thread, in no order: one of them is a mistake, whichever comes first.
#include <stddef.h>
#include <threads.h>

static thrd_t child;

static int work(void *argument) {
    return argument != NULL;
}

static int detach(void *argument) {
#ifndef ONCE
    thrd_detach(child); // BUG: join-invalid
#endif
    return argument != NULL;
}

int main(void) {
    thrd_t thread;
    thrd_create(&child, work, NULL);
    thrd_create(&thread, detach, NULL);
    thrd_join(child, NULL); // BUG: join-invalid
    thrd_join(thread, NULL);
}
