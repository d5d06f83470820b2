// What the calls return, for one thread: names that lead to nothing, that exist, that are none; counts that last.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

int main(void) {
    int count;
    assert(sem_open("/none", 0) == SEM_FAILED && errno == ENOENT);
    assert(sem_open("/", O_CREAT, 0600, 1) == SEM_FAILED && errno == EINVAL);
    assert(sem_open("/much", O_CREAT, 0600, 1u << 31) == SEM_FAILED && errno == EINVAL);
    sem_t *one = sem_open("/name", O_CREAT, 0600, 2);
    assert(one != SEM_FAILED && sem_getvalue(one, &count) == 0 && count == 2);
    assert(sem_open("/name", O_CREAT, 0600, 7) == one);
    assert(sem_open("/name", O_CREAT | O_EXCL, 0600, 7) == SEM_FAILED && errno == EEXIST);
    assert(sem_open("/name", O_CREAT | O_EXCL, 0600, 1u << 31) == SEM_FAILED && errno == EINVAL);
    assert(sem_wait(one) == 0 && sem_getvalue(one, &count) == 0 && count == 1);
    assert(sem_close(one) == 0 && sem_getvalue(one, &count) == 0);
    assert(sem_close(one) == 0);
    sem_t *again = sem_open("/name", 0);
    assert(again != SEM_FAILED && sem_getvalue(again, &count) == 0 && count == 1);
    assert(sem_unlink("/name") == 0);
    assert(sem_unlink("/name") == -1 && errno == ENOENT);
    sem_t *other = sem_open("/name", O_CREAT, 0600, 5);
    assert(other != again && sem_getvalue(other, &count) == 0 && count == 5);
    assert(sem_getvalue(again, &count) == 0 && count == 1);
    assert(sem_close(again) == 0 && sem_close(other) == 0 && sem_unlink("/name") == 0);
    return 0;
}
