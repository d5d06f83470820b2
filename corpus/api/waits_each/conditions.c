// A thread waits by WAIT until main has set a flag under the mutex; a wait with a time limit may expire before, and is made
// without one then.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int flag;

static void *waiter(void *arg) {
    struct timespec later;
    clock_gettime(CLOCK, &later);
    later.tv_sec += 60;
    pthread_mutex_lock(&mutex);
    int result = 0;
    if (!flag) result = WAIT;
    assert(result == 0 || result == ETIMEDOUT);
    assert(flag || result == ETIMEDOUT);
    while (!flag) pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, waiter, 0);
    pthread_mutex_lock(&mutex);
    flag = 1;
    WAKE;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}
