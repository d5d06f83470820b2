// A thread that was joined cannot be cancelled.
#include <pthread.h>

static void *thread(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    pthread_cancel(t); // BUG: thread-gone
    return 0;
}
