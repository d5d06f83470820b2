// A thread waits for a value that nobody stores, in a loop whose condition is constant.
#include <atomic>
#include <pthread.h>

static std::atomic<int> ready;

static void *waiter(void *argument) {
    for (;;) { // BUG: nonterminating
        if (ready == 1)
            break;
    }
    return argument;
}

int main() {
    pthread_t thread;
    pthread_create(&thread, nullptr, waiter, nullptr);
    pthread_exit(nullptr);
}
