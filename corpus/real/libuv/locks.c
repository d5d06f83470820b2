/* Two threads meet by a semaphore, a mutex and a read-write lock of libuv. */
#include <assert.h>
#include <uv.h>

static uv_mutex_t mutex;
static uv_rwlock_t lock;
static uv_sem_t semaphore;
static int counter, published;

static void adds(void)
{
    uv_mutex_lock(&mutex);
    counter++;
    uv_mutex_unlock(&mutex);
}

static void works(void *unused)
{
    (void)unused;
    adds();
    uv_rwlock_wrlock(&lock);
    published = 1;
    uv_rwlock_wrunlock(&lock);
    uv_sem_post(&semaphore);
}

int main(void)
{
    uv_thread_t other;
    assert(uv_mutex_init(&mutex) == 0 && uv_rwlock_init(&lock) == 0 && uv_sem_init(&semaphore, 0) == 0);
    assert(uv_thread_create(&other, works, 0) == 0);
    adds();
    uv_sem_wait(&semaphore);
    uv_rwlock_rdlock(&lock);
    assert(published);
    uv_rwlock_rdunlock(&lock);
    assert(uv_thread_join(&other) == 0);
    assert(counter == 2);
    uv_sem_destroy(&semaphore);
    uv_rwlock_destroy(&lock);
    uv_mutex_destroy(&mutex);
    return 0;
}
