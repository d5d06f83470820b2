// A mutex destroyed by one thread while another one may lock it afterwards.
#include <pthread.h>

static pthread_mutex_t mutex;

static void *user(void *arg) {
    pthread_mutex_lock(&mutex); // BUG: mutex-uninitialized
    pthread_mutex_unlock(&mutex); // BUG: mutex-uninitialized
    return arg;
}

static void *destroyer(void *arg) {
    pthread_mutex_destroy(&mutex); // BUG: mutex-destroyed-locked
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_mutex_init(&mutex, NULL);
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, destroyer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
