// Two threads meet at a barrier, and read then what the other one has written. With EARLY one reads before.
#include <barrier>
#include <cassert>
#include <thread>

static int data[2];

int main() {
    std::barrier<> point(2);
    std::thread thread([&] {
        data[0] = 1; // BUG: data-race
        point.arrive_and_wait();
        assert(data[1] == 1);
    });
    data[1] = 1;
#ifdef EARLY
    int seen = data[0]; // BUG: data-race
    (void)seen;
#endif
    point.arrive_and_wait();
    assert(data[0] == 1);
    thread.join();
}
