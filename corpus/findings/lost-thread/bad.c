// Two detached threads lock each other out for ever while the rest of the program ends as if nothing were wrong.
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *ab(void *arg) {
    (void)arg;
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); // BUG: lost-thread
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return NULL;
}

static void *ba(void *arg) {
    (void)arg;
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); // BUG: lost-thread
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, ab, NULL);
    pthread_detach(t);
    pthread_create(&t, NULL, ba, NULL);
    pthread_detach(t);
    return 0;
}
