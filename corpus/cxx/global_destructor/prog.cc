// The destructor of a global object waits for a thread. Its only use of the C++ library is that the compiler ends the
// process where an exception would leave a destructor. With WRONG, the destructor does not wait.
#include <cassert>
#include <pthread.h>

static int done;
static pthread_t thread;

static void *work(void *argument) {
    done++; // BUG: data-race
    return argument;
}

struct Waiter {
    ~Waiter() {
#ifndef WRONG
        pthread_join(thread, nullptr);
#else
        pthread_detach(thread);
#endif
        done++;
    }
};

static Waiter waiter;

int main() {
    pthread_create(&thread, nullptr, work, nullptr);
} // BUG: missing-pthread-exit
