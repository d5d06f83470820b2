// An alarm without a handler ends the process. It is set before the handler, or after it.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void handler(int number) {
    (void)number;
}

static void *thread(void *arg) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
#ifdef WRONG
    alarm(1);
    pthread_create(&t, 0, thread, 0);
    signal(SIGALRM, handler); // BUG: crash
#else
    signal(SIGALRM, handler);
    alarm(1);
    pthread_create(&t, 0, thread, 0);
#endif
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, 0);
    return 0;
}
