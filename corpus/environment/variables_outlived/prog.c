// A thread shows main a variable of its own that it never touches itself; main writes to it, before or after the thread
// has ended.
#include <pthread.h>
#include <stdatomic.h>

static int *_Atomic shown;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#ifdef LOCAL
#define VARIABLE int
#else
#define VARIABLE static _Thread_local int
#endif

static void *shows(void *arg) {
    VARIABLE variable;
    atomic_store(&shown, &variable);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, shows, NULL);
#ifdef BEFORE
    int *variable = atomic_load(&shown);
    if (variable)
        *variable = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
#else
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    *atomic_load(&shown) = 1; // BUG: stack-use-after-return
#endif
    return 0;
}
