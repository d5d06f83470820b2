// Main waits at a latch for the data of a thread. With MORE the latch counts one more than there are.
#include <cassert>
#include <latch>
#include <thread>

static int data;

int main() {
#ifdef MORE
    std::latch done(2);
#else
    std::latch done(1);
#endif
    std::thread thread([&] {
        data = 1;
        done.count_down();
    });
    done.wait(); // BUG: deadlock
    assert(data == 1);
    thread.join();
}
