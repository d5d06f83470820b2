// A thread leaves a pointer to its local variable behind, and main follows it once the thread has ended: ordered, so no
// data race, but the variable is gone.
#include <pthread.h>
#include <stddef.h>

static int *left;

static void *thread(void *arg) {
    int local = 1;
    left = &local;
    (void)arg;
    return NULL;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, thread, NULL);
    pthread_join(other, NULL);
    return *left == 2; // BUG: stack-use-after-return
}
