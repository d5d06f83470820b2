// A condition variable of the C++ library in a local variable and on the heap, each twice in the same memory.
#include <condition_variable>
#include <mutex>
#include <pthread.h>

struct Box {
    std::mutex mutex;
    std::condition_variable full;
    bool is_full = false;
};

static void *fill(void *arg) {
    Box &box = *static_cast<Box *>(arg);
    std::lock_guard<std::mutex> lock(box.mutex);
#ifndef SILENT
    box.is_full = true;
#endif
    box.full.notify_one();
    return nullptr;
}

static void wait(Box &box) {
    pthread_t thread;
    pthread_create(&thread, nullptr, fill, &box);
    {
        std::unique_lock<std::mutex> lock(box.mutex);
        while (!box.is_full)
            box.full.wait(lock); // BUG: deadlock
    }
    pthread_join(thread, nullptr);
}

static void wait_for_local() {
    Box box;
    wait(box);
}

static void wait_on_heap() {
    Box *box = new Box;
    wait(*box);
    delete box;
}

int main() {
    wait_for_local();
    wait_for_local();
    wait_on_heap();
    wait_on_heap();
    return 0;
}
