// Cleanup handlers run innermost first, then the destructors of thread-specific data.
#include <assert.h>
#include <pthread.h>

static pthread_key_t key;
static int steps[3], count;

static void note(void *step) {
    steps[count++] = *(int *)step;
}

static void *thread(void *arg) {
    static int destructor = 3;
    int outer = 1, inner = 2;
    pthread_setspecific(key, &destructor);
    pthread_cleanup_push(note, &outer);
    pthread_cleanup_push(note, &inner);
    for (;;) {
        pthread_testcancel();
    }
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return arg;
}

int main(void) {
    pthread_t t;
    void *result;
    pthread_key_create(&key, note);
    pthread_create(&t, NULL, thread, NULL);
    pthread_cancel(t);
    pthread_join(t, &result);
    assert(result == PTHREAD_CANCELED);
    assert(count == 3 && steps[0] == 2 && steps[1] == 1 && steps[2] == 3);
    return 0;
}
