// An object on the heap whose constructor leaves one member out, and objects that the C++ library fills.
#include <cassert>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

struct Order {
    int number;
    int urgent;
#ifdef CORRECT
    explicit Order(int given) : number(given), urgent(0) {}
#else
    explicit Order(int given) : number(given) {}
#endif
};

int main() {
    int handled = 0;
    auto order = std::make_unique<Order>(3);
    std::thread worker([&] {
        std::ostringstream text;
        text << "order " << order->number;
        assert(text.str() == "order 3");
        if (order->urgent) // BUG: uninitialised-use
            handled++;
    });
    worker.join();
    return handled > 1;
}
