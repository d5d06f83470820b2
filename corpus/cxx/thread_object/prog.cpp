// The object of a thread, which join and detach clear when they are over. The thread itself may look at it until then;
// another thread that looks at it races with them.
#include <atomic>
#include <cassert>
#include <thread>

static std::thread *object;
static std::atomic<bool> ready;

static void look() {
    if (ready)
        assert(object->joinable()); // BUG: assertion
}

int main() {
    std::thread thread(look);
    object = &thread;
    ready = true;
#ifdef OTHER
    std::thread other(look);
    thread.join();
    other.join();
#elif defined DETACHED
    thread.detach();
    pthread_exit(nullptr);
#else
    thread.join();
    assert(!thread.joinable());
#endif
}
