// No destructor of a deleted key is called, nor one for a null value, nor any at a return from main.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key, kept;

static void never(void *value) {
    (void)value;
    abort();
}

static void *thread(void *arg) {
    assert(pthread_getspecific(key) == NULL);
    pthread_setspecific(key, &key);
    assert(pthread_key_delete(key) == 0);
    pthread_setspecific(kept, &kept);
    pthread_setspecific(kept, NULL);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_key_create(&key, never);
    pthread_key_create(&kept, never);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    assert(pthread_key_delete(key) == EINVAL);
    pthread_setspecific(kept, &kept);
    return 0;
}
