// One thread accesses data before its critical section. The other one has DELAY operations and SECTIONS critical
// sections, and then accesses data. In almost every order drawn by chance the sections order the accesses.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int work;
static int count, data, seen;

static void *early(void *unused) {
#ifdef EARLY_READS
    seen = data; // BUG: data-race
#else
    data = 1; // BUG: data-race
#endif
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *late(void *unused) {
    int mine = 0;
    for (int i = 0; i < DELAY; i++)
        atomic_fetch_add(&work, 1);
    for (int i = 0; i < SECTIONS; i++) {
        pthread_mutex_lock(&lock);
        count++;
        pthread_mutex_unlock(&lock);
    }
#ifdef LATE_READS
    mine = data; // BUG: data-race
#else
    data = 2; // BUG: data-race
#endif
    (void)mine;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&second, NULL, late, NULL);
    pthread_create(&first, NULL, early, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_mutex_destroy(&lock);
    return 0;
}
