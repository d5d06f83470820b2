// The program of the speed figures: 3 threads besides main, 50 visible operations.
// Threads 1 and 2 lock, count and unlock 5 times, thread 3 does so 4 times (28 operations); threads 1 and 2 also add to an
// atomic of their own 4 times, thread 3 5 times (13); creates, exits and joins are 9.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ROUNDS
#define ROUNDS 5
#endif

struct work {
    int rounds, adds;
    atomic_int own;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static struct work works[3] = {{ROUNDS, 4, 0}, {ROUNDS, 4, 0}, {ROUNDS - 1, 5, 0}};

static void *thread(void *arg) {
    struct work *work = arg;
    for (int i = 0; i < work->rounds; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    for (int i = 0; i < work->adds; i++)
        atomic_fetch_add(&work->own, 1);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, thread, &works[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 3 * ROUNDS - 1);
    return 0;
}
