// Two classes of database operations: any number of one class may run together, but never both classes.
// The buggy implementation of the Inspect dissertation, section 3.2: the first of a class takes `lock`, the last one
// gives it back, and both do so while holding `mutex`.
#include <pthread.h>

#ifndef AS
#define AS 1
#endif
#ifndef BS
#define BS 1
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int a_count, b_count;

static void *operation_a(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    a_count++;
    if (a_count == 1)
        pthread_mutex_lock(&lock); // BUG: deadlock
    pthread_mutex_unlock(&mutex);
    // the operation of class A
    pthread_mutex_lock(&mutex); // BUG: deadlock
    a_count--;
    if (a_count == 0)
        pthread_mutex_unlock(&lock); // BUG: unlock-not-owner
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *operation_b(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    b_count++;
    if (b_count == 1)
        pthread_mutex_lock(&lock); // BUG: deadlock
    pthread_mutex_unlock(&mutex);
    // the operation of class B
    pthread_mutex_lock(&mutex); // BUG: deadlock
    b_count--;
    if (b_count == 0)
        pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t threads[AS + BS + 1];
    for (int i = 0; i < AS; i++)
        pthread_create(&threads[i], NULL, operation_a, NULL);
    for (int i = 0; i < BS; i++)
        pthread_create(&threads[AS + i], NULL, operation_b, NULL);
    for (int i = 0; i < AS + BS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
