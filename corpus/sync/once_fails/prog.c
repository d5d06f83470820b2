// pthread_exit, or with JUMPS longjmp, leads out of an initialiser: the once object is as at first, and another thread runs it again.
// With HOLDS it leaves a mutex behind that nobody unlocks.
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

#ifndef N
#define N 2
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int attempts, value;
static jmp_buf outside;

static void initialise(void) {
#ifdef HOLDS
    pthread_mutex_lock(&mutex); // BUG: deadlock
#endif
    if (attempts++ == 0) {
#ifdef JUMPS
        longjmp(outside, 1);
#else
        pthread_exit(NULL);
#endif
    }
    value = 7;
}

static void *thread(void *arg) {
    (void)arg;
#ifdef JUMPS
    // Who runs the initialiser jumps back to where it came from, and only one does.
    static pthread_mutex_t jumping = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&jumping);
    int jumped = setjmp(outside);
    if (!jumped)
        pthread_once(&once, initialise);
    pthread_mutex_unlock(&jumping);
    if (jumped)
        return NULL;
#else
    pthread_once(&once, initialise);
#endif
    assert(value == 7);
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    (void)mutex;
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(attempts == 2);
    return 0;
}
