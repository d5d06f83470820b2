// Main waits for a change that a thread makes under the mutex. With BLIND it does not look whether it was made already.
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable_any changed;
static bool ready;

int main() {
    std::thread thread([] {
        {
            std::lock_guard<std::mutex> lock(mutex);
            ready = true;
        }
        changed.notify_one();
    });
    {
        std::unique_lock<std::mutex> lock(mutex);
#ifdef BLIND
        changed.wait(lock); // BUG: deadlock
#else
        changed.wait(lock, [] { return ready; });
#endif
    }
    thread.join();
}
