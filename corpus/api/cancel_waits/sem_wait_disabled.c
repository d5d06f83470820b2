// The same with cancellation disabled: nothing ends the wait.
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;

static void *thread(void *arg) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    sem_wait(&semaphore); // BUG: deadlock
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&semaphore, 0, 0);
    pthread_create(&t, NULL, thread, NULL);
    pthread_cancel(t);
    pthread_join(t, NULL);
    sem_destroy(&semaphore);
    return 0;
}
