// A promise that becomes ready when its thread ends, after the destructors of thread-local objects. The store that makes
// it ready is in the C++ library's own code; without it, the destructor and main would look like a data race.
#include <future>
#include <thread>

static int x;

struct Last {
    int *at = &x;
    ~Last() { *at = 1; }
};

int main() {
    std::promise<int> promise;
    std::future<int> result = promise.get_future();
    std::thread thread([&] {
        thread_local Last last;
        Last *volatile used = &last;
        (void)used;
        promise.set_value_at_thread_exit(1);
    });
    x += result.get();
    thread.join();
}
