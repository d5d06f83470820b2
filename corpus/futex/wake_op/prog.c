// FUTEX_WAKE_OP: changes a second word and wakes at both, depending on what the second word was. One thread: what the
// words hold afterwards, and errors.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int first, second;

static int change(int before, unsigned code) {
    atomic_store(&second, before);
    assert(syscall(SYS_futex, &first, FUTEX_WAKE_OP_PRIVATE, 1, 1L, &second, code) == 0);
    return atomic_load(&second);
}

int main(void) {
    assert(change(5, FUTEX_OP(FUTEX_OP_SET, 3, FUTEX_OP_CMP_EQ, 5)) == 3);
    assert(change(5, FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_GT, 5)) == 8);
    assert(change(5, FUTEX_OP(FUTEX_OP_ADD, -6, FUTEX_OP_CMP_LE, 5)) == -1);
    assert(change(5, FUTEX_OP(FUTEX_OP_OR, 3, FUTEX_OP_CMP_NE, 5)) == 7);
    assert(change(5, FUTEX_OP(FUTEX_OP_ANDN, 1, FUTEX_OP_CMP_LT, 5)) == 4);
    assert(change(5, FUTEX_OP(FUTEX_OP_XOR, 1, FUTEX_OP_CMP_GE, 5)) == 4);
    assert(change(0, FUTEX_OP(FUTEX_OP_OR | FUTEX_OP_OPARG_SHIFT, 4, FUTEX_OP_CMP_EQ, 0)) == 16);
    assert(syscall(SYS_futex, &first, FUTEX_WAKE_OP, 1, 1L, (char *)&second + 1, 0) == -1 && errno == EINVAL);
    assert(syscall(SYS_futex, &first, FUTEX_WAKE_OP, 1, 1L, &second, 7u << 28) == -1 && errno == ENOSYS);
    return 0;
}
