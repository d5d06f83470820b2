// The same of a semaphore, which has no unit.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t semaphore;

static void *thread(void *arg) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    assert(sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&semaphore, 0, 0);
    pthread_create(&t, NULL, thread, NULL);
    pthread_cancel(t);
    pthread_join(t, NULL);
    sem_destroy(&semaphore);
    return 0;
}
