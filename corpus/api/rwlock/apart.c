// The same with a writer, who is alone.
#include <pthread.h>
#include <semaphore.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t here, there;

static void *first(void *arg) {
    pthread_rwlock_rdlock(&lock); // BUG: deadlock(reader)
    sem_post(&here);
    sem_wait(&there); // BUG: deadlock(writer)
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *second(void *arg) {
    pthread_rwlock_wrlock(&lock); // BUG: deadlock(writer)
    sem_post(&there);
    sem_wait(&here); // BUG: deadlock(reader)
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    sem_init(&here, 0, 0);
    sem_init(&there, 0, 0);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
