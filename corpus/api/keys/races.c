// Destructors of two threads change one counter, with a mutex or without.
#include <assert.h>
#include <pthread.h>

static pthread_key_t key;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int calls;

static void count(void *value) {
    (void)value;
#ifndef UNLOCKED
    pthread_mutex_lock(&mutex);
#endif
    calls++; // BUG: data-race
#ifndef UNLOCKED
    pthread_mutex_unlock(&mutex);
#endif
}

static void *thread(void *arg) {
    pthread_setspecific(key, &key);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_key_create(&key, count);
    pthread_create(&a, NULL, thread, NULL);
    pthread_create(&b, NULL, thread, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(calls == 2);
    return 0;
}
