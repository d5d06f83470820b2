// N identical workers with K critical sections each on one lock: the shape behind the aget rows of table 7.1 of the
// Inspect dissertation (4 threads: N = 4, K = 3). The workers get equal arguments, and all that a worker knows is how many
// critical sections are left to it; what a section does depends on the shared data only. Main does nothing but join.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif
#ifndef K
#define K 2
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int bytes;

static void *worker(void *arg) {
    (void)arg;
    for (int left = K; left > 0; left--) {
        pthread_mutex_lock(&mutex);
        bytes++;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void) {
    pthread_t workers[N];
    for (int i = 0; i < N; i++)
        pthread_create(&workers[i], NULL, worker, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(workers[i], NULL);
    assert(bytes == N * K);
    return 0;
}
