// The condition variables of C11: a thread waits until main has set a flag. WRONG == 1: nobody wakes it; WRONG == 2: it does not
// hold the mutex. TIMED: the wait has a time limit, and is made without one when it has expired; LATE: it is over before.
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex;
static cnd_t cond;
static int flag;

static int waits(void *arg) {
    mtx_lock(&mutex);
#if WRONG == 2
    mtx_unlock(&mutex);
#endif
#ifdef TIMED
    struct timespec later;
    timespec_get(&later, TIME_UTC);
    later.tv_sec += 60;
    int result = flag ? thrd_success : cnd_timedwait(&cond, &mutex, &later); // BUG: cond-wait-unlocked(timed)
    assert(result == thrd_success || result == thrd_timedout);
#endif
    while (!flag) cnd_wait(&cond, &mutex); // BUG: deadlock cond-wait-unlocked data-race
#if WRONG != 2
    mtx_unlock(&mutex);
#endif
    return arg != 0;
}

int main(void) {
    thrd_t thread;
    assert(mtx_init(&mutex, mtx_plain) == thrd_success && cnd_init(&cond) == thrd_success);
    thrd_create(&thread, waits, 0);
    mtx_lock(&mutex);
    flag = 1; // BUG: data-race
#if WRONG != 1
    WAKE;
#endif
    mtx_unlock(&mutex);
    thrd_join(thread, 0);
    cnd_destroy(&cond);
    mtx_destroy(&mutex);
    return 0;
}
