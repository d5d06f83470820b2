// Two readers and a writer: the readers see both changes or none.
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int one, other;

static void *reader(void *arg) {
    pthread_rwlock_rdlock(&lock);
    assert(one == other);
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *writer(void *arg) {
    pthread_rwlock_wrlock(&lock);
    one++;
    other++;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_create(&threads[2], NULL, writer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
