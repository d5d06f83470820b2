// What the mutexes of C11 return. Two threads take turns; WRONG == 1: one locks the other's mutex first, and the other way
// round; WRONG == 2: it unlocks a mutex that the other one holds; WRONG == 3: it locks a mutex that it holds.
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t one, two, again;
static int count;

static int adds(void *arg) {
#if WRONG == 1
    mtx_lock(&two);
    mtx_lock(&one); // BUG: deadlock
#elif WRONG == 2
    mtx_unlock(&one); // BUG: unlock-not-owner
    mtx_lock(&one);
    mtx_lock(&two);
#else
    mtx_lock(&one);
    mtx_lock(&two);
#endif
    count++; // BUG: data-race
    mtx_unlock(&two);
    mtx_unlock(&one);
    return arg != 0;
}

int main(void) {
    thrd_t thread;
    struct timespec past = {1, 0};
    assert(mtx_init(&one, mtx_timed) == thrd_success && mtx_init(&two, mtx_plain) == thrd_success);
    assert(mtx_init(&again, mtx_plain | mtx_recursive) == thrd_success);
    assert(mtx_lock(&again) == thrd_success && mtx_trylock(&again) == thrd_success);
    assert(mtx_unlock(&again) == thrd_success && mtx_unlock(&again) == thrd_success);
    assert(thrd_create(&thread, adds, 0) == thrd_success);
    mtx_lock(&one);
#if WRONG == 3
    mtx_lock(&one); // BUG: mutex-relock
#endif
    assert(mtx_trylock(&one) == thrd_busy && mtx_timedlock(&one, &past) == thrd_timedout);
    mtx_lock(&two); // BUG: deadlock
    count++; // BUG: data-race
    mtx_unlock(&two);
    mtx_unlock(&one);
    int result = -1;
    assert(thrd_join(thread, &result) == thrd_success && result == 0);
    assert(count == 2); // BUG: assertion
    mtx_destroy(&one);
    mtx_destroy(&two);
    mtx_destroy(&again);
    return 0;
}
