// A join of a detached thread. That it is a mistake is ignored; what follows is not known, as the call fails at once in
// the C library and waits for the end of the thread here.
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_t child;
static sem_t go;
static int x;

static void *work(void *argument) {
#ifdef WAITS
    sem_wait(&go);
#endif
    x = 1;
    return argument;
}

int main(void) {
    sem_init(&go, 0, 0);
    pthread_create(&child, NULL, work, NULL);
    pthread_detach(child);
    pthread_join(child, NULL); // BUG: join-invalid
    sem_post(&go);
    x = 2;
    pthread_exit(NULL);
}
