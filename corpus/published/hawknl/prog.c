// HawkNL 1.6b3: nlShutdown takes the lock of the library and then that of each socket; nlClose takes the socket's lock and then
// the library's. Fixed by one order. WRONG == 1: as it was.
#include <pthread.h>

static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER, socket_ = PTHREAD_MUTEX_INITIALIZER;
static int is_open = 1;

static void *nl_close(void *arg) {
#if WRONG
    pthread_mutex_lock(&socket_);
    pthread_mutex_lock(&library); // BUG: deadlock
#else
    pthread_mutex_lock(&library);
    pthread_mutex_lock(&socket_);
#endif
    is_open = 0;
    pthread_mutex_unlock(&library);
    pthread_mutex_unlock(&socket_);
    return arg;
}

static void *nl_shutdown(void *arg) {
    pthread_mutex_lock(&library);
    pthread_mutex_lock(&socket_); // BUG: deadlock
    is_open = 0;
    pthread_mutex_unlock(&socket_);
    pthread_mutex_unlock(&library);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, nl_close, 0);
    pthread_create(&threads[1], 0, nl_shutdown, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return is_open;
}
