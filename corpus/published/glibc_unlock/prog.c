// glibc, bug 13690: an unlock gives the mutex back and then reads the kind of the mutex, to decide how to wake a waiter. The
// next owner may have destroyed and freed the mutex by then. Fixed by reading the kind first. A lock in that shape, on
// the system call. WRONG == 1: as it was.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct mutex {
    atomic_uint state; // 0 free, 1 held, 2 held and perhaps waited for
    int is_shared;
};

struct object {
    struct mutex mutex;
    int references;
};

static void lock(struct mutex *mutex) {
    unsigned free_ = 0;
    if (atomic_compare_exchange_strong(&mutex->state, &free_, 1)) return;
    while (atomic_exchange(&mutex->state, 2) != 0)
        syscall(SYS_futex, &mutex->state, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
}

static void unlock(struct mutex *mutex) {
#if WRONG
    unsigned before = atomic_exchange(&mutex->state, 0);
    int is_shared = mutex->is_shared; // BUG: heap-use-after-free data-race
#else
    int is_shared = mutex->is_shared;
    unsigned before = atomic_exchange(&mutex->state, 0);
#endif
    if (before == 2) syscall(SYS_futex, &mutex->state, is_shared ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

static void *release(void *arg) {
    struct object *object = arg;
    lock(&object->mutex);
    int left = --object->references;
    unlock(&object->mutex);
    if (left == 0) free(object); // BUG: data-race
    return 0;
}

int main(void) {
    pthread_t threads[2];
    struct object *object = calloc(1, sizeof *object);
    object->references = 2;
    pthread_create(&threads[0], 0, release, object);
    pthread_create(&threads[1], 0, release, object);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
