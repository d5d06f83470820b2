// The calls of the other kind: sem_destroy for a named semaphore, sem_close for one without a name.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

int main(void) {
    sem_t *named = sem_open("/named", O_CREAT, 0600, 1), unnamed;
    sem_init(&unnamed, 0, 1);
#ifdef DESTROYS
    sem_destroy(named); // BUG: semaphore-misuse(destroy)
#else
    sem_close(&unnamed); // BUG: semaphore-misuse(close)
#endif
    sem_close(named);
    return 0;
}
