// A flag that main waits for. With SILENT it is set without a notification: who waits already waits for ever.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> flag;
static int data;

int main() {
    std::thread thread([] {
        data = 1;
        flag.store(1);
#ifndef SILENT
        flag.notify_one();
#endif
    });
    flag.wait(0); // BUG: deadlock
    assert(data == 1);
    thread.join();
}
