// MySQL, bug 3596: a thread that lists all threads (SHOW PROCESSLIST) tests whether another one's description is there and
// then uses it; the other one takes it away in between. Fixed by reading the pointer once; here it is atomic, so that the
// race of the original is gone and what is left is the bug. WRONG == 1: as it was.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

static _Atomic(const char *) proc_info = "sending data";
static size_t shown;

static void *ends_statement(void *arg) {
    atomic_store(&proc_info, (const char *)0);
    return arg;
}

static void *lists_threads(void *arg) {
#if WRONG
    if (atomic_load(&proc_info)) shown = strlen(atomic_load(&proc_info)); // BUG: crash
#else
    const char *text = atomic_load(&proc_info);
    if (text) shown = strlen(text);
#endif
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, lists_threads, 0);
    pthread_create(&threads[1], 0, ends_statement, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return shown > 12;
}
