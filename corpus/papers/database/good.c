// Two classes of database operations, corrected: nobody waits for the other class while holding the mutex.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef AS
#define AS 1
#endif
#ifndef BS
#define BS 1
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t free_again = PTHREAD_COND_INITIALIZER;
static int running[2];

static void *operation(void *arg) {
    int mine = (int)(intptr_t)arg;
    int other = 1 - mine;
    pthread_mutex_lock(&mutex);
    while (running[other] > 0)
        pthread_cond_wait(&free_again, &mutex);
    running[mine]++;
    pthread_mutex_unlock(&mutex);
    // the operation
    pthread_mutex_lock(&mutex);
    assert(running[other] == 0);
    if (--running[mine] == 0)
        pthread_cond_broadcast(&free_again);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t threads[AS + BS + 1];
    for (int i = 0; i < AS + BS; i++)
        pthread_create(&threads[i], NULL, operation, (void *)(intptr_t)(i < AS ? 0 : 1));
    for (int i = 0; i < AS + BS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
