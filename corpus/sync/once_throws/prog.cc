// An exception leads out of an initialiser: the once object is as at first, and another thread runs it again.
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int attempts, value;

static void initialise() {
    if (attempts++ == 0)
        throw 1;
    value = 7;
}

static void *thread(void *) {
    try {
        pthread_once(&once, initialise);
#ifdef FORGETS
        value++; // BUG: data-race
#else
        assert(value == 7);
#endif
    } catch (int) {
    }
    return nullptr;
}

int main() {
    pthread_t threads[3];
    for (pthread_t &one : threads)
        pthread_create(&one, nullptr, thread, nullptr);
    for (pthread_t &one : threads)
        pthread_join(one, nullptr);
    assert(attempts == 2);
    return 0;
}
