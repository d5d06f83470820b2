// A thread has a variable that only main uses: it is written to, in one of two orders, while nothing of the thread's own
// changes, and nothing is left of that in main. wrong is 1 or 2: which order fails the assertion.
#include <assert.h>
#include <pthread.h>

// Which order fails.
static int wrong;

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, hold = PTHREAD_MUTEX_INITIALIZER;
static pthread_t a, b;
static int passed, *place;
static int first(void) {
    pthread_mutex_lock(&m);
    int is_first = passed++ == 0;
    pthread_mutex_unlock(&m);
    return is_first;
}
static void *owner(void *unused) {
    int it;
    pthread_mutex_lock(&m);
    place = &it;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&hold);
    pthread_mutex_unlock(&hold);
    return unused;
}
static void *other(void *unused) {
    first();
    return unused;
}
__attribute__((noinline)) static void write_it(int *it) { *it = first(); }
int main(int count, char **arguments) {
    (void)count;
    wrong = arguments[1][0] - '0';
    pthread_mutex_lock(&hold);
    pthread_create(&a, 0, owner, 0);
    pthread_create(&b, 0, other, 0);
    pthread_mutex_lock(&m);
    int *it = place;
    pthread_mutex_unlock(&m);
    if (it) {
        write_it(it);
        pthread_mutex_lock(&m);
        int both = passed == 2;
        pthread_mutex_unlock(&m);
        assert(!both || *it == wrong - 1);
    }
    pthread_mutex_unlock(&hold);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
