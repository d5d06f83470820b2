// System calls that the program makes itself access its memory like the C library's functions of the same names.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char memory[256];

static void *thread(void *argument) {
#ifdef LOCKS
    pthread_mutex_lock(&mutex);
#endif
    CALL; // BUG: data-race
#ifdef LOCKS
    pthread_mutex_unlock(&mutex);
#endif
    return argument;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, thread, NULL);
#ifdef LOCKS
    pthread_mutex_lock(&mutex);
#endif
    memory[3] = 'x'; // BUG: data-race
#ifdef LOCKS
    pthread_mutex_unlock(&mutex);
#endif
    pthread_join(other, NULL);
    return 0;
}
