// A heartbeat takes a lock of its own again and again. THREADS others each lock one mutex of a circle and then the next
// one; all wait for each other once each has locked its first.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t circle[THREADS], beat_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint beats;

static void *beat(void *unused) {
    for (;;) {
        pthread_mutex_lock(&beat_lock);
        atomic_fetch_add(&beats, 1);
        pthread_mutex_unlock(&beat_lock);
    }
    return unused;
}

static void *lock_two(void *number) {
    int mine = (int)(long)number, next = (mine + 1) % THREADS;
#ifdef CORRECT
    if (next < mine) {
        next = mine;
        mine = 0;
    }
#endif
    pthread_mutex_lock(&circle[mine]);
    pthread_mutex_lock(&circle[next]); // BUG: lost-thread
    pthread_mutex_unlock(&circle[next]);
    pthread_mutex_unlock(&circle[mine]);
    return NULL;
}

int main(void) {
    pthread_t beating, threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_mutex_init(&circle[i], NULL);
    pthread_create(&beating, NULL, beat, NULL);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, lock_two, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(beating, NULL);
    return 0;
}
