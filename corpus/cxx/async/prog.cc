// Two asynchronous calls that change the same variable: one after the other, or (BOTH) at the same time.
#include <cassert>
#include <future>

static int counter;

static int count(int by) {
    counter += by; // BUG: data-race
    return by;
}

int main() {
    auto first = std::async(std::launch::async, count, 1);
#ifndef BOTH
    assert(first.get() == 1);
#endif
    auto second = std::async(std::launch::async, count, 2);
#ifdef BOTH
    assert(first.get() == 1);
#endif
    assert(second.get() == 2);
    assert(counter == 3); // BUG: assertion
}
