// What the operations of locks with priority inheritance return, and what they leave in the word: one thread that owns two
// locks, and one that does not. Measured on Linux 6.18.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_uint word, other;

static void call(void *at, int operation, const void *timeout, long result, int error) {
    errno = 0;
    assert(syscall(SYS_futex, at, operation, 0, timeout, NULL, 0) == result && errno == error);
}


static void *holds(void *arg) {
    static const struct timespec past = {1, 0}, invalid = {0, 1000000000};
    call(&other, FUTEX_UNLOCK_PI, NULL, -1, EPERM);
    call(&other, FUTEX_TRYLOCK_PI, NULL, -1, EAGAIN);
    assert((atomic_load(&other) & ~FUTEX_TID_MASK) == FUTEX_WAITERS);
    call(&other, FUTEX_LOCK_PI, &past, -1, ETIMEDOUT);
    call(&other, FUTEX_LOCK_PI2, &past, -1, ETIMEDOUT);
    call(&other, FUTEX_LOCK_PI, &invalid, -1, EINVAL);
    return arg;
}

int main(void) {
    unsigned self = (unsigned)syscall(SYS_gettid);
    static const int locks[] = {FUTEX_LOCK_PI, FUTEX_LOCK_PI2, FUTEX_TRYLOCK_PI};
    for (int i = 0; i < 3; i++) {
        call(&word, locks[i] | FUTEX_PRIVATE_FLAG, NULL, 0, 0);
        assert(atomic_load(&word) == self);
        call(&word, FUTEX_LOCK_PI, NULL, -1, EDEADLK);
        call(&word, FUTEX_TRYLOCK_PI, NULL, -1, EDEADLK);
        call(&word, FUTEX_UNLOCK_PI, NULL, 0, 0);
        assert(atomic_load(&word) == 0);
        call(&word, FUTEX_UNLOCK_PI, NULL, -1, EPERM);
        call((char *)&word + 2, locks[i], NULL, -1, EINVAL);
        call((void *)4096, locks[i], NULL, -1, EFAULT);
    }
    call((char *)&word + 1, FUTEX_UNLOCK_PI, NULL, -1, EPERM); // the kernel looks whose it is first
    call(&word, FUTEX_LOCK_PI | FUTEX_CLOCK_REALTIME, NULL, -1, ENOSYS);
    atomic_store(&word, FUTEX_WAITERS);
    call(&word, FUTEX_LOCK_PI, NULL, 0, 0);
    assert(atomic_load(&word) == self);
    call(&other, FUTEX_LOCK_PI, NULL, 0, 0);
    pthread_t id;
    pthread_create(&id, NULL, holds, NULL);
    pthread_join(id, NULL);
    call(&other, FUTEX_UNLOCK_PI, NULL, 0, 0);
    assert(atomic_load(&other) == 0);
    return 0;
}
