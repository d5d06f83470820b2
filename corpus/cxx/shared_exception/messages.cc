// Copies of an exception share its message, which ends with the last of them. With WRONG, one thread assigns to the
// exception that the other one copies.
#include <cassert>
#include <stdexcept>
#include <thread>

static std::runtime_error first("x");

int main() {
    std::runtime_error second(first);
    std::thread other([&second] {
        assert(second.what()[0] == 'x');
        second = std::runtime_error("y"); // BUG: data-race
    });
#ifdef WRONG
    std::runtime_error copy(second);
#else
    std::runtime_error copy(first);
#endif
    first = std::runtime_error("z");
    assert(copy.what()[0] != 'z');
    other.join();
}
