// The result of a task that a thread runs; with NEVER the thread drops the task, whose future then throws.
#include <cassert>
#include <future>
#include <thread>

int main() {
    std::packaged_task<int(int)> task([](int n) { return n + 1; });
    std::future<int> result = task.get_future();
    std::thread thread([task = std::move(task)]() mutable {
#ifdef NEVER
        std::packaged_task<int(int)> dropped(std::move(task));
#else
        task(1);
#endif
    });
#ifdef NEVER
    bool broken = false;
    try {
        result.get();
    } catch (const std::future_error &) {
        broken = true;
    }
    assert(!broken); // BUG: assertion
#else
    assert(result.get() == 2);
#endif
    thread.join();
}
