// A timed wait takes the unit or expires with ETIMEDOUT. A time that is none is refused.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t ready;

static void *thread(void *arg) {
    sem_post(&ready);
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec soon = {2000000000, 0}, never = {0, 1000000000};
    sem_init(&ready, 0, 0);
    assert(sem_timedwait(&ready, &never) == -1 && errno == EINVAL);
    pthread_create(&t, NULL, thread, NULL);
    assert(sem_timedwait(&ready, &soon) == 0 || errno == ETIMEDOUT);
    pthread_join(t, NULL);
    return 0;
}
