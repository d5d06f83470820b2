// Two workers with the same code that something tells apart all the same: exchanging them would lose the
// failing assertion, which needs the second worker to come first.
#include <assert.h>
#include <pthread.h>

#ifndef TELL
#define TELL 0
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t workers[2];
static pthread_t winner;
static int slots[2];
static int count;

static void *worker(void *arg) {
    int *slot = arg;
    pthread_mutex_lock(&lock);
    int own = ++count;
    if (TELL == 0 && own == 1)
        winner = pthread_self(); // who it is
    if (TELL == 1)
        *slot = own; // what it was given
    pthread_mutex_unlock(&lock);
    // What a thread returns.
    return TELL == 2 ? (void *)(long)own : NULL;
}

int main(void) {
    for (int i = 0; i < 2; i++)
        pthread_create(&workers[i], NULL, worker, TELL == 1 ? &slots[i] : NULL);
    void *result = NULL;
    pthread_join(workers[0], TELL == 2 ? &result : NULL);
    if (TELL == 2)
        assert(result != (void *)2); // BUG: assertion
    if (TELL == 3) {
        // Between two joins.
        pthread_mutex_lock(&lock);
        int seen = count;
        pthread_mutex_unlock(&lock);
        assert(seen != 2); // BUG: assertion
    }
    pthread_join(workers[1], NULL);
    if (TELL == 0)
        assert(winner == workers[0]); // BUG: assertion
    if (TELL == 1)
        assert(slots[0] == 1); // BUG: assertion
    return 0;
}
