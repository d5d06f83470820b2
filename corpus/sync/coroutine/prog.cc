// Two coroutines go on in threads of their own, whose accesses are those of any other function.
#include <assert.h>
#include <coroutine>
#include <pthread.h>

struct Task {
    struct promise_type {
        Task get_return_object() { return {}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t threads[2];
static int started, sum;

static void *resume(void *frame) {
    std::coroutine_handle<>::from_address(frame).resume();
    return nullptr;
}

struct Elsewhere {
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
        pthread_create(&threads[started++], nullptr, resume, handle.address());
    }
    void await_resume() {}
};

static Task add(int number) {
    co_await Elsewhere{};
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
    sum += number; // BUG: data-race
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
}

int main() {
    (void)mutex;
    add(2);
    add(3);
    pthread_join(threads[0], nullptr);
    pthread_join(threads[1], nullptr);
    assert(sum == 5);
    return 0;
}
