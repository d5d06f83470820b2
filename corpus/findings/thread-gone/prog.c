// A thread ends. Another one joins or detaches it (CLAIM) while main uses its handle (USE): perhaps too late. With ORDERED, main
// uses it before it creates the other thread; with WAITS, the thread does not end before main has used it.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static pthread_t target;
static sem_t used;

static void *ends(void *arg) {
#ifdef WAITS
    sem_wait(&used);
#endif
    return arg;
}

static void *claims(void *arg) {
    CLAIM;
    return arg;
}

int main(void) {
    pthread_t other;
    sem_init(&used, 0, 0);
    pthread_create(&target, NULL, ends, NULL);
#ifdef ORDERED
    USE;
    pthread_create(&other, NULL, claims, NULL);
#else
    pthread_create(&other, NULL, claims, NULL);
    USE; // BUG: thread-gone
#endif
    sem_post(&used);
    pthread_join(other, NULL);
    pthread_exit(NULL);
}
