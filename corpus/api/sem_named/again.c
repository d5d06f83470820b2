// Two threads look for a name again and again, which is removed once.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

enum { TIMES = 5 };

static int removed[2];

static void *thread(void *arg) {
    int *mine = arg;
    for (int i = 0; i < TIMES; i++) {
        int error = sem_unlink("/again");
        assert(error == 0 || errno == ENOENT);
        *mine += error == 0;
    }
    return arg;
}

int main(void) {
    pthread_t t;
    sem_open("/again", O_CREAT, 0600, 0);
    pthread_create(&t, NULL, thread, &removed[0]);
    thread(&removed[1]);
    pthread_join(t, NULL);
    assert(removed[0] + removed[1] == 1);
    return 0;
}
