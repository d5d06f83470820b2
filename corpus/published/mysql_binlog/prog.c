// MySQL, bug 791: the log is rotated by closing and opening it, with the lock given back in between. A statement that comes
// then finds the log closed, takes logging for switched off, and is missing in the log. Fixed by keeping the lock.
// WRONG == 1: as it was. There is no data race: every access has the lock.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_open = 1;
static int table_rows, logged_rows;

static void rotate(void) {
    pthread_mutex_lock(&lock);
    is_open = 0;
#if WRONG
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    is_open = 1;
    pthread_mutex_unlock(&lock);
}

static void *insert(void *arg) {
    pthread_mutex_lock(&lock);
    table_rows++;
    if (is_open) logged_rows++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *flush(void *arg) {
    rotate();
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, insert, 0);
    pthread_create(&threads[1], 0, flush, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(table_rows == logged_rows); // BUG: assertion
    return 0;
}
