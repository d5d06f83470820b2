// A task throws in its thread, and the future throws the same exception object again in main; both end their references
// to it. With WRONG, main expects another message.
#include <cassert>
#include <cstring>
#include <future>
#include <stdexcept>
#include <thread>

#ifdef WRONG
#define MESSAGE "no"
#else
#define MESSAGE "full"
#endif

int main() {
    std::packaged_task<int()> task([]() -> int { throw std::logic_error("full"); });
    std::future<int> result = task.get_future();
    std::thread thread(std::move(task));
    try {
        result.get();
    } catch (const std::logic_error &failure) {
        assert(!std::strcmp(failure.what(), MESSAGE)); // BUG: assertion
    }
    thread.join();
}
