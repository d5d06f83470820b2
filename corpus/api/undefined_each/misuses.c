// CALL is what the standard leaves undefined, after SET_UP; without it the program is right.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static struct timespec past = {1, 0};
static unsigned *word;

static inline void initialises(void) {
#ifdef CALL_INSIDE
    CALL_INSIDE; // BUG: deadlock
#endif
}

static void *thread(void *arg) {
    (void)past;
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_spin_init(&spin, 0); // BUG: mutex-not-destroyed
    word = malloc(sizeof *word);
    *word = 0;
    pthread_create(&other, 0, thread, 0);
    SET_UP; // BUG: deadlock mutex-not-destroyed thread-not-joined
#ifdef CALL
    CALL; // BUG: join-invalid thread-gone cond-wait-unlocked heap-use-after-free mutex-relock double-init mutex-uninitialized
#endif
    return 0; // BUG: missing-pthread-exit
}
