// The thread whose reference to an exception object ends last runs the object's destructor: with WRONG either of two.
#include <cassert>
#include <exception>
#include <thread>

static std::thread::id destroyer;

struct Failure {
    bool counts = false;
    ~Failure() {
        if (counts) {
            destroyer = std::this_thread::get_id();
        }
    }
};

int main() {
    std::exception_ptr failure = std::make_exception_ptr(Failure());
    try {
        std::rethrow_exception(failure);
    } catch (Failure &caught) {
        caught.counts = true;
    }
    std::thread other([copy = failure]() mutable { copy = nullptr; });
#ifdef WRONG
    failure = nullptr;
    other.join();
#else
    other.join();
    failure = nullptr;
#endif
    assert(destroyer == std::this_thread::get_id()); // BUG: assertion
}
