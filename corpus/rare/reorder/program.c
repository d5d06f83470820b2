// SETTERS threads each set one value and then the other; a thread created last looks at both. It has to come between
// the two steps of the first setter that comes at all: any setter that has taken both steps hides what the others do.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

static atomic_int first, second;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *set(void *unused) {
    make_noise();
#ifdef CORRECT
    pthread_mutex_lock(&lock);
#endif
    atomic_store(&first, 1);
    atomic_store(&second, -1);
#ifdef CORRECT
    pthread_mutex_unlock(&lock);
#endif
    make_noise();
    return unused;
}

static void *look(void *unused) {
    make_noise();
    pthread_mutex_lock(&lock);
    int one = atomic_load(&first), other = atomic_load(&second);
    pthread_mutex_unlock(&lock);
    assert((one == 0 && other == 0) || (one == 1 && other == -1)); // BUG: assertion
    make_noise();
    return unused;
}

int main(void) {
    pthread_t setters[SETTERS], looker;
    for (int i = 0; i < SETTERS; i++)
        pthread_create(&setters[i], NULL, set, NULL);
    pthread_create(&looker, NULL, look, NULL);
    for (int i = 0; i < SETTERS; i++)
        pthread_join(setters[i], NULL);
    pthread_join(looker, NULL);
    pthread_mutex_destroy(&lock);
    return 0;
}
