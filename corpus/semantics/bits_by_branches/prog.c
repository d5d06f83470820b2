// A thread learns the bits of a pointer by branches, and puts the pointer together again.
#include <pthread.h>
#include <stdint.h>
#include <string.h>

static int object;
static int *hidden = &object;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void) {
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
}

static void unlock(void) {
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
}

static void *writes(void *arg) {
    uint64_t bits, found = 0;
    memcpy(&bits, &hidden, sizeof bits);
    for (int i = 0; i < 64; i++)
        if (bits >> i & 1)
            found |= UINT64_C(1) << i;
    lock();
    *(int *)found = 1; // BUG: data-race
    unlock();
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writes, NULL);
    lock();
    object = 2; // BUG: data-race
    unlock();
    pthread_join(thread, NULL);
    return 0;
}
