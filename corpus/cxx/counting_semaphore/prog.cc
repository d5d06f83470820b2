// A thread releases what main acquires. With MORE main acquires more.
#include <cassert>
#include <semaphore>
#include <thread>

static std::counting_semaphore<4> units(0);
static int data;

int main() {
    std::thread thread([] {
        data = 1;
        units.release();
    });
    units.acquire();
#ifdef MORE
    units.acquire(); // BUG: deadlock
#endif
    assert(data == 1);
    thread.join();
}
