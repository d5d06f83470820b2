// Mutexes and condition variables of the C++ library with static storage: their constructors use initialisers.
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::recursive_mutex recursive;
static std::timed_mutex timed;
static std::condition_variable condition;
static bool ready;

int main() {
    std::thread thread([] {
        std::unique_lock<std::mutex> lock(mutex);
        condition.wait(lock, [] { return ready; });
        recursive.lock();
        recursive.unlock();
        timed.lock();
        timed.unlock();
    });
    mutex.lock();
    ready = true;
    mutex.unlock();
    condition.notify_one();
    thread.join();
    return 0;
}
