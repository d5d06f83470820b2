// What is initialised once. With UNSURE main reads it without having been at the initialisation.
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag once;
static int data;

static void initialise() {
    data++; // BUG: data-race
}

int main() {
    std::thread thread([] {
        std::call_once(once, initialise);
        assert(data == 1);
    });
#ifndef UNSURE
    std::call_once(once, initialise);
#endif
    int seen = data; // BUG: data-race
#ifndef UNSURE
    assert(seen == 1);
#else
    (void)seen;
#endif
    thread.join();
}
