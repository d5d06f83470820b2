// Two threads want to create a name: one of them is told that it exists.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

static int created[2];

static void *thread(void *arg) {
    int *mine = arg;
    *mine = sem_open("/once", O_CREAT | O_EXCL, 0600, 1) != SEM_FAILED;
    assert(*mine || errno == EEXIST);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, &created[0]);
    thread(&created[1]);
    pthread_join(t, NULL);
    assert(created[0] + created[1] == 1);
    return 0;
}
