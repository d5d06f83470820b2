// System calls beside futexes by which threads libraries find their way: barriers, numbers of threads and processors.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static long numbers[2];

static void *thread(void *arg) {
    numbers[1] = syscall(SYS_gettid);
    assert(numbers[1] == gettid());
    assert(syscall(SYS_sched_yield) == 0);
    return arg;
}

int main(void) {
    long offered = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0);
    assert(offered > 0 && (offered & MEMBARRIER_CMD_PRIVATE_EXPEDITED));
    assert(syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0) == 0);
    assert(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0) == -1 && errno == EPERM);
    assert(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0) == 0);
    assert(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0) == 0);
    assert(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 2) == -1 && errno == EINVAL);
    assert(syscall(SYS_membarrier, 1 << 20, 0) == -1 && errno == EINVAL);
    unsigned processor = 1;
    assert(syscall(SYS_getcpu, &processor, NULL, NULL) == 0 && processor == 0);
    assert(syscall(SYS_rseq, NULL, 0, 0, 0) == -1 && errno == ENOSYS);
    pthread_t other;
    pthread_create(&other, NULL, thread, NULL);
    numbers[0] = syscall(SYS_gettid);
    pthread_join(other, NULL);
    assert(numbers[0] == getpid() && numbers[1] != numbers[0]);
    return 0;
}
