// The same where the thread ends in the middle of its functions, and nothing orders its end with main's use.
#include <pthread.h>
#include <stddef.h>

static int *left;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void leave(void) {
    int local = 1;
    pthread_mutex_lock(&mutex);
    left = &local;
    pthread_mutex_unlock(&mutex);
    pthread_exit(NULL); // BUG: data-race
}

static void *thread(void *arg) {
    leave();
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, thread, NULL);
    pthread_mutex_lock(&mutex);
    int *found = left;
    pthread_mutex_unlock(&mutex);
    int value = found ? *found : 0; // BUG: stack-use-after-return BUG: data-race
    pthread_join(other, NULL);
    return value == 2;
}
