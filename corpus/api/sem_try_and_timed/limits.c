// Counts that are too large: at the initialisation, and by a post.
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t full;

int main(void) {
    assert(sem_init(&full, 0, (unsigned)INT_MAX + 1) == -1 && errno == EINVAL);
    assert(sem_init(&full, 0, INT_MAX) == 0);
    assert(sem_post(&full) == -1 && errno == EOVERFLOW);
    assert(sem_wait(&full) == 0 && sem_post(&full) == 0);
    return 0;
}
