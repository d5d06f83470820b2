// One is destroyed, the other one was initialised statically.
#include <pthread.h>

static pthread_cond_t cond, constant = PTHREAD_COND_INITIALIZER;

static void *thread(void *arg) {
    (void)arg;
    pthread_cond_signal(&cond);
    pthread_cond_signal(&constant);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_cond_init(&cond, NULL);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    pthread_cond_destroy(&cond);
    return 0;
}
