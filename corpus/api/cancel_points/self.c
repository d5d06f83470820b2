// Main cancels itself, and its other thread goes on.
#include <assert.h>
#include <pthread.h>

static pthread_t main_thread;

static void *thread(void *arg) {
    void *result;
    pthread_join(main_thread, &result);
    assert(result == PTHREAD_CANCELED);
    return arg;
}

int main(void) {
    pthread_t t;
    main_thread = pthread_self();
    pthread_create(&t, NULL, thread, NULL);
    pthread_detach(t);
    pthread_cancel(main_thread);
    pthread_testcancel();
    assert(0);
}
