// Threads of C11: creation, end, join, handles, sleep, yield, once and thread-specific storage. WRONG == 1: a thread is joined
// twice; WRONG == 2: a detached one is joined; WRONG == 3: it is detached twice; WRONG == 4: it waits for its own once object;
// WRONG == 5: nobody detaches the thread that main leaves alone.
#include <assert.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int begun, ended;

static void begins(void) {
    begun++;
#if WRONG == 4
    call_once(&once, begins); // BUG: deadlock
#endif
}

static void ends(void *value) {
    ended += *(int *)value;
    free(value);
}

static int works(void *arg) {
    thrd_t *own = arg;
    int *value = malloc(sizeof *value);
    *value = 1;
    call_once(&once, begins); // BUG: deadlock
    assert(thrd_equal(thrd_current(), *own));
    assert(tss_set(key, value) == thrd_success && tss_get(key) == value);
    thrd_yield();
    thrd_exit(7);
}

int main(void) {
    thrd_t thread;
    int result = 0;
    assert(tss_create(&key, ends) == thrd_success);
    assert(thrd_create(&thread, works, &thread) == thrd_success); // BUG: thread-not-joined
    assert(thrd_sleep(&(struct timespec){0, 1}, 0) == 0 && thrd_sleep(&(struct timespec){0, -1}, 0) < -1);
#if WRONG == 2 || WRONG == 3
    assert(thrd_detach(thread) == thrd_success);
#endif
#if WRONG == 3
    thrd_detach(thread); // BUG: join-invalid thread-gone
#elif WRONG == 2
    thrd_join(thread, &result); // BUG: join-invalid thread-gone
#elif WRONG == 5
    thrd_exit(0);
#else
    assert(thrd_join(thread, &result) == thrd_success && result == 7);
#if WRONG == 1
    thrd_join(thread, &result); // BUG: join-invalid
#endif
#endif
    assert(begun == 1 && ended == 1);
    tss_delete(key);
    return 0;
}
