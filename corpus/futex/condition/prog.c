// A condition variable on a futex word that counts signals, with a pthread mutex. The number has to be read before the
// mutex is given back; read afterwards (LATE), a signal in between is lost.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int signals;
static int ready;

static void wait_for_signal(void) {
#ifdef LATE
    pthread_mutex_unlock(&mutex);
    int number = atomic_load(&signals);
#else
    int number = atomic_load(&signals);
    pthread_mutex_unlock(&mutex);
#endif
    syscall(SYS_futex, &signals, FUTEX_WAIT_PRIVATE, number, NULL); // BUG: deadlock
    pthread_mutex_lock(&mutex);
}

static void *consumer(void *arg) {
    pthread_mutex_lock(&mutex);
    while (!ready)
        wait_for_signal();
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, consumer, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    atomic_fetch_add(&signals, 1);
    syscall(SYS_futex, &signals, FUTEX_WAKE_PRIVATE, 1);
    pthread_join(thread, NULL);
    return 0;
}
