// A table is set up once, by whoever needs it first, and the setup locks a recursive mutex. CALLERS threads need it
// without that mutex. One thread locks the mutex and needs the table only if it finds a request, which is there for
// a moment: if the setup is under way then, each of the two waits for the other.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static atomic_int requests;
static int table;

static void set_up(void) {
    pthread_mutex_lock(&lock); // BUG: deadlock
    table = 1;
    pthread_mutex_unlock(&lock);
}

static void *call(void *unused) {
    make_noise();
    pthread_once(&once, set_up); // BUG: deadlock
    make_noise();
    return unused;
}

static void *serve(void *unused) {
    make_noise();
#ifdef CORRECT
    pthread_once(&once, set_up);
#endif
    pthread_mutex_lock(&lock);
    if (atomic_load(&requests))
        pthread_once(&once, set_up); // BUG: deadlock
    pthread_mutex_unlock(&lock);
    make_noise();
    return unused;
}

static void *request(void *unused) {
    make_noise();
    atomic_store(&requests, 1);
    atomic_store(&requests, 0);
    make_noise();
    return unused;
}

int main(void) {
    pthread_t callers[CALLERS], server, requesting;
    pthread_create(&requesting, NULL, request, NULL);
    for (int i = 0; i < CALLERS; i++)
        pthread_create(&callers[i], NULL, call, NULL);
    pthread_create(&server, NULL, serve, NULL);
    pthread_join(requesting, NULL);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(callers[i], NULL);
    pthread_join(server, NULL);
    pthread_mutex_destroy(&lock);
    return 0;
}
