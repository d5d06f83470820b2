// The first thread writes data and then uses lock a; the second one uses a and then b; the third one uses b, after
// DELAY operations, and then writes data. If they run in this order, the locks order the two writes. With ASKS the
// third one writes only if the second one has seen the first one.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static atomic_int work;
static int data, in_a, in_b;

static void *first(void *unused) {
    data = 1; // BUG: data-race
    pthread_mutex_lock(&a);
    in_a = 1;
    pthread_mutex_unlock(&a);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&a);
    int seen = in_a;
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&b);
    in_b = seen;
    pthread_mutex_unlock(&b);
    return unused;
}

static void *third(void *unused) {
    for (int i = 0; i < DELAY; i++)
        atomic_fetch_add(&work, 1);
    pthread_mutex_lock(&b);
    int seen = in_b;
    pthread_mutex_unlock(&b);
#ifdef ASKS
    if (!seen)
        return unused;
#else
    (void)seen;
#endif
    data = 2; // BUG: data-race
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[2], NULL, third, NULL);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&a);
    pthread_mutex_destroy(&b);
    return 0;
}
