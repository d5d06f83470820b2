// A thread that is cancelled, or ends by pthread_exit, in functions with objects: their destructors run, innermost first,
// and a handler for all exceptions throws on what it is given.
#include <assert.h>
#include <pthread.h>

static int steps[3], count;

struct Note {
    int step;
    ~Note() { steps[count++] = step; }
};

static void inner() {
    Note note{1};
#ifdef EXITS
    pthread_exit(reinterpret_cast<void *>(5));
#else
    for (;;) {
        pthread_testcancel();
    }
#endif
}

static void *thread(void *arg) {
    Note note{3};
    try {
        inner();
    } catch (...) {
        steps[count++] = 2;
#ifndef KEEPS
        throw;
#endif
    } // BUG: abort
    return arg;
}

int main() {
    pthread_t t;
    void *result;
    pthread_create(&t, nullptr, thread, nullptr);
#ifndef EXITS
    pthread_cancel(t);
#endif
    pthread_join(t, &result);
#ifdef EXITS
    assert(result == reinterpret_cast<void *>(5));
#else
    assert(result == PTHREAD_CANCELED);
#endif
    assert(count == 3 && steps[0] == 1 && steps[1] == 2 && steps[2] == 3);
    return 0;
}
