// Main hands a lock over to either of two threads, which makes their sections come in either order. What one leaves for the
// other is ordered by the lock alone. With LATE, each leaves it after it has given the lock back.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_uint word, last;
static uintptr_t data;

static long call(int operation) {
    return syscall(SYS_futex, &word, operation, 0, NULL, NULL, 0);
}

static void *section(void *arg) {
    call(FUTEX_LOCK_PI_PRIVATE);
#ifdef LATE
    call(FUTEX_UNLOCK_PI_PRIVATE);
    data = (uintptr_t)arg; // BUG: data-race
#else
    if (atomic_load(&last) < 3)
        data = (uintptr_t)arg;
    atomic_store(&last, (unsigned)(uintptr_t)arg);
    call(FUTEX_UNLOCK_PI_PRIVATE);
#endif
    return arg;
}

int main(void) {
    pthread_t threads[2];
    call(FUTEX_LOCK_PI_PRIVATE);
    for (uintptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, section, (void *)(i + 1));
    call(FUTEX_UNLOCK_PI_PRIVATE);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
