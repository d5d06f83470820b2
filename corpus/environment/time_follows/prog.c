// A thread sleeps for five seconds and acts. Whoever finds what it did looks at the clock later than that, also where
// finding it orders nothing else.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

static time_t begin;
static pthread_t other;

static void look(void) {
    time_t now = time(NULL);
    assert(now >= begin + 5);
}

#if defined BARRIER
static pthread_barrier_t barrier;
static void prepare(void) { pthread_barrier_init(&barrier, NULL, 2); }
static void act(void) { pthread_barrier_wait(&barrier); }
static void find(void) {
    pthread_barrier_wait(&barrier);
    look();
}
#elif defined MUTEX
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void prepare(void) {}
static void act(void) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}
static void find(void) {
    if (pthread_mutex_trylock(&mutex) != 0) {
        look();
        return;
    }
    pthread_mutex_unlock(&mutex);
#ifdef EITHER
    assert(time(NULL) >= begin + 5); // BUG: assertion
#endif
}
#elif defined RWLOCK
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void prepare(void) {}
static void act(void) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
}
static void find(void) {
    if (pthread_rwlock_trywrlock(&lock) != 0)
        look();
    else
        pthread_rwlock_unlock(&lock);
}
#elif defined SEMAPHORE
static sem_t semaphore;
static void prepare(void) { sem_init(&semaphore, 0, 1); }
static void act(void) { sem_wait(&semaphore); }
static void find(void) {
    int value;
    sem_getvalue(&semaphore, &value);
    if (value == 0)
        look();
}
#elif defined CANCELLATION
static sem_t semaphore;
static pthread_t main_thread;
static void prepare(void) {
    sem_init(&semaphore, 0, 0);
    main_thread = pthread_self();
}
static void act(void) { pthread_cancel(main_thread); }
static void at_cancellation(void *argument) {
    (void)argument;
    look();
    pthread_join(other, NULL);
}
static void find(void) {
    pthread_cleanup_push(at_cancellation, NULL);
    sem_wait(&semaphore);
    pthread_cleanup_pop(0);
}
#endif

static void *sleeper(void *argument) {
    sleep(5);
    act();
    return argument;
}

int main(void) {
    prepare();
    begin = time(NULL);
    pthread_create(&other, NULL, sleeper, NULL);
    find();
    pthread_join(other, NULL);
    return 0;
}
