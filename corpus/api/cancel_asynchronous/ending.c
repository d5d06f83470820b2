// A thread that has begun to end is not cancelled once more, whatever its cleanup handler says.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int runs, ends;

static void clean(void *unused) {
    runs++;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, 0);
    pthread_testcancel();
    ends++;
}

static void *thread(void *arg) {
    pthread_cleanup_push(clean, 0);
    END;
    pthread_cleanup_pop(1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    pthread_cancel(t);
    pthread_join(t, 0);
    assert(runs == ends);
}
