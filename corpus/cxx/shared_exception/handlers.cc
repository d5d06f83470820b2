// Two threads handle one exception object, which ends with the last reference to it. With KEEPS, a thread uses the object
// after its own reference has ended; with CHANGES, both change it.
#include <cassert>
#include <exception>
#include <thread>

struct Failure {
    int code;
};

static void handle(std::exception_ptr failure) {
    const Failure *kept = nullptr;
    try {
        std::rethrow_exception(std::move(failure));
    } catch (Failure &caught) {
#ifdef CHANGES
        caught.code++; // BUG: data-race(changes)
#else
        assert(caught.code == 3);
#endif
        kept = &caught;
    }
#ifdef KEEPS
    assert(kept->code == 3); // BUG: heap-use-after-free(keeps)
#endif
    (void)kept;
}

int main() {
    std::exception_ptr failure = std::make_exception_ptr(Failure{3});
    std::thread other([copy = failure]() mutable { handle(std::move(copy)); });
#ifdef KEEPS
    failure = nullptr;
#else
    handle(std::move(failure));
#endif
    other.join();
}
