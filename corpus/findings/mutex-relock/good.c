// The same with a recursive mutex, and an error-checking one that refuses.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex, checked;
static int total;

static int read_total(void) {
    pthread_mutex_lock(&mutex);
    int copy = total;
    pthread_mutex_unlock(&mutex);
    return copy;
}

static void *thread(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    total = read_total() + 1;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&checked);
    if (pthread_mutex_lock(&checked) != EDEADLK)
        abort();
    pthread_mutex_unlock(&checked);
    return NULL;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checked, &attributes);
    pthread_mutexattr_destroy(&attributes);
    pthread_t a, b;
    pthread_create(&a, NULL, thread, NULL);
    pthread_create(&b, NULL, thread, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_mutex_destroy(&mutex);
    pthread_mutex_destroy(&checked);
    return 0;
}
