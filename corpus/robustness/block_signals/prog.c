// Blocks every signal, then goes on, and in one variant crashes.
#include <pthread.h>
#include <signal.h>

static int somewhere;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *arg) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, 0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
#ifdef CRASH
    *(volatile int *)arg = 1; // BUG: crash
#endif
    return arg;
}

int main(void) {
    pthread_t a, b;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, 0);
    pthread_create(&a, 0, thread, 0);
    pthread_create(&b, 0, thread, &somewhere);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
