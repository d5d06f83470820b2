// The same with the names of C11: a destructor runs at the end of the thread, and not for a key that was deleted.
#include <assert.h>
#include <threads.h>

static tss_t key, deleted;
static int calls;

static void count(void *value) {
    (*(int *)value)++;
}

static int thread(void *arg) {
    assert(tss_get(key) == NULL);
    assert(tss_set(key, &calls) == thrd_success && tss_set(deleted, &calls) == thrd_success);
    tss_delete(deleted);
    thrd_exit(arg != NULL);
}

int main(void) {
    thrd_t t;
    int result;
    assert(tss_create(&key, count) == thrd_success && tss_create(&deleted, count) == thrd_success);
    thrd_create(&t, thread, &calls);
    assert(thrd_join(t, &result) == thrd_success && result == 1);
    assert(calls == 1);
    return 0;
}
