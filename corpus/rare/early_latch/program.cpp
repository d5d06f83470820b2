// WORKERS threads store their part and count down a latch, and a helper stores half of the part of the one created
// last. The latch is made for the workers only, and that one counts down when it has stored its own half: who waits
// for the latch can come before the helper, which is created first and has next to nothing to do.
#include <atomic>
#include <cassert>
#include <latch>
#include <thread>

#include "../noise.h"

static std::atomic<int> parts;
#ifdef CORRECT
static std::latch all_there(WORKERS + 1);
#else
static std::latch all_there(WORKERS);
#endif

static void help() {
    parts.load();
    parts.fetch_add(1);
#ifdef CORRECT
    all_there.count_down();
#endif
    make_noise();
}

static void work(bool has_helper) {
    make_noise();
    parts.fetch_add(has_helper ? 1 : 2);
    all_there.count_down();
    make_noise();
}

static void collect() {
    all_there.wait();
    assert(parts.load() == 2 * WORKERS); // BUG: assertion
    make_noise();
}

int main() {
    std::thread threads[WORKERS + 2];
    threads[0] = std::thread(help);
    for (int i = 0; i < WORKERS; i++)
        threads[i + 1] = std::thread(work, i == WORKERS - 1);
    threads[WORKERS + 1] = std::thread(collect);
    for (std::thread &thread : threads)
        thread.join();
    return 0;
}
