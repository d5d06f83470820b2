// The thread catches what it throws.
#include <atomic>
#include <stdexcept>
#include <thread>

static std::atomic<int> size;

static void worker() {
    try {
        if (size == 0)
            throw std::runtime_error("not configured");
    } catch (const std::runtime_error &) {
        size = 2;
    }
}

int main() {
    std::thread thread(worker);
    size = 1;
    thread.join();
    return 0;
}
