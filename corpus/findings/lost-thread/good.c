// Detached threads that take the locks in one order, and a main that leaves by pthread_exit.
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *ab(void *arg) {
    (void)arg;
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, ab, NULL);
    pthread_detach(t);
    pthread_create(&t, NULL, ab, NULL);
    pthread_detach(t);
    pthread_exit(NULL);
}
