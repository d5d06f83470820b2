// A thread throws if it comes first, and nobody catches that.
#include <atomic>
#include <stdexcept>
#include <thread>

static std::atomic<int> size;

static void worker() {
    if (size == 0)
        throw std::runtime_error("not configured"); // BUG: uncaught-exception
}

int main() {
    std::thread thread(worker);
    size = 1;
    thread.join();
    return 0;
}
