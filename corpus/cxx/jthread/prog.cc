// A thread that goes on until it is asked to stop, which the end of its object does. With PLAIN it is asked by a variable
// that is not atomic.
#include <stop_token>
#include <thread>

static bool over;

int main() {
    std::jthread thread([](std::stop_token stop) {
#ifdef PLAIN
        if (over) // BUG: data-race
            return;
#endif
        while (!stop.stop_requested()) {
        }
    });
#ifdef PLAIN
    over = true; // BUG: data-race
#endif
}
