// A condition variable initialised by a call and never destroyed.
#include <pthread.h>

static pthread_cond_t cond;

static void *thread(void *arg) {
    (void)arg;
    pthread_cond_signal(&cond);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_cond_init(&cond, NULL); // BUG: cond-not-destroyed
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return 0;
}
