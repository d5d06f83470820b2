// A thread that fails its assumption while it holds the mutex: the other one waits for a run that does not count, which
// is no deadlock.
#include <inspect.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *doubtful(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    inspect_assume(0);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *other(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, doubtful, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
