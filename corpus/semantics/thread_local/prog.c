// Thread-local variables and keys belong to one thread each; key destructors run at its end.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Thread_local int mine;
static pthread_key_t key;
static atomic_int destroyed;

static void destroy(void *value) {
    atomic_fetch_add(&destroyed, *(int *)value);
}

static void *thread(void *arg) {
    (void)arg;
    mine++;
    assert(pthread_getspecific(key) == NULL);
    pthread_setspecific(key, &mine);
    mine++;
    assert(*(int *)pthread_getspecific(key) == 2);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_key_create(&key, destroy);
    pthread_create(&a, NULL, thread, NULL);
    pthread_create(&b, NULL, thread, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(mine == 0 && atomic_load(&destroyed) == 4);
    pthread_key_delete(key);
    return 0;
}
