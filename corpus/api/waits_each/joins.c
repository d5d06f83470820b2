// A join waits for a thread that has to take a mutex first, which main gives back. With a time limit it may expire before.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *ends(void *arg) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *joins(void *arg) {
    pthread_t thread = *(pthread_t *)arg;
    struct timespec later;
    clock_gettime(CLOCK, &later);
    later.tv_sec += 60;
    int result = WAIT;
    assert(result == 0 || result == ETIMEDOUT);
    if (result) pthread_join(thread, 0);
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_mutex_lock(&mutex);
    pthread_create(&first, 0, ends, 0);
    pthread_create(&second, 0, joins, &first);
    pthread_mutex_unlock(&mutex);
    pthread_join(second, 0);
    return 0;
}
