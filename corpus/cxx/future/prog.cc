// A value is handed over by a promise, and data with it: what is written before the value is set may be read after it was
// got. With LATE it is written afterwards.
#include <cassert>
#include <future>
#include <thread>

static int data;

int main() {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread thread([&promise] {
#ifndef LATE
        data = 1;
#endif
        promise.set_value(7);
#ifdef LATE
        data = 1; // BUG: data-race
#endif
    });
    assert(future.get() == 7);
    int seen = data; // BUG: data-race
    (void)seen;
    thread.join();
}
