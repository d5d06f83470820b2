// Threads and mutexes set up in unusual ways: what is not modelled is named with its line, what is exact is modelled.
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *thread(void *arg) {
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

#ifdef BEFORE_MAIN
static pthread_t early;

__attribute__((constructor)) static void start(void) {
    pthread_create(&early, NULL, thread, NULL);
}
#endif

#ifdef C11
static once_flag flag = ONCE_FLAG_INIT;
static mtx_t c11_mutex;
static cnd_t c11_cond;
static tss_t key;
static int inits, destroyed, ready;

static void initialise(void) {
    inits++;
}

static void destroy(void *value) {
    (void)value;
    mtx_lock(&c11_mutex);
    destroyed++;
    mtx_unlock(&c11_mutex);
}

static int c11_thread(void *arg) {
    call_once(&flag, initialise);
    tss_set(key, arg);
    mtx_lock(&c11_mutex);
    ready = 1;
    cnd_signal(&c11_cond);
    mtx_unlock(&c11_mutex);
    thrd_exit(7);
}
#endif

int main(void) {
    pthread_t other;
    (void)other;
#if defined(OWN_STACK)
    pthread_attr_t attributes;
    const size_t size = 1 << 20;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, aligned_alloc(4096, size), size);
    pthread_create(&other, &attributes, thread, NULL);
    pthread_join(other, NULL);
#elif defined(BEFORE_MAIN)
    pthread_join(early, NULL);
#elif defined(PRIORITY)
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    if (pthread_mutex_init(&mutex, &attributes) != 0)
        return 1;
    pthread_create(&other, NULL, thread, NULL);
    thread(NULL);
    pthread_join(other, NULL);
    pthread_mutex_destroy(&mutex);
    return count != 2;
#elif defined(C11)
    thrd_t handle;
    int result;
    struct timespec time;
    if (timespec_get(&time, TIME_UTC) != TIME_UTC)
        return 1;
    mtx_init(&c11_mutex, mtx_plain);
    cnd_init(&c11_cond);
    tss_create(&key, destroy);
    thrd_create(&handle, c11_thread, &result);
    call_once(&flag, initialise);
    mtx_lock(&c11_mutex);
    while (!ready)
        cnd_wait(&c11_cond, &c11_mutex);
    mtx_unlock(&c11_mutex);
    thrd_join(handle, &result);
    tss_delete(key);
    cnd_destroy(&c11_cond);
    mtx_destroy(&c11_mutex);
    return result != 7 || inits != 1 || destroyed != 1;
#endif
    return 0;
}
