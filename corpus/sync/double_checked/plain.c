// Double-checked locking with a plain pointer: the first check races with the publication.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *instance;
static int storage;

static int *get(void) {
    if (instance == NULL) { // BUG: data-race
        pthread_mutex_lock(&mutex);
        if (instance == NULL) {
            storage = 42; // BUG: data-race(contents)
            instance = &storage; // BUG: data-race
        }
        pthread_mutex_unlock(&mutex);
    }
    return instance; // BUG: data-race
}

static void *user(void *arg) {
    (void)arg;
    if (*get() != 42) // BUG: data-race(contents)
        abort();
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, user, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
