// THREADS threads look for an answer; whoever has it first fulfils a promise. Each asks whether the promise is
// fulfilled and fulfils it in a second step. Two that ask before either fulfils it both do, and the second one
// throws. Only the first thread and the last one find an answer.
#include <atomic>
#include <future>
#include <pthread.h>

#include "../noise.h"

static std::promise<int> promise;
static std::atomic<bool> fulfilled;

static void *look(void *finds) {
    for (int i = 0; finds == &fulfilled && i < LATER; i++)
        make_noise();
    if (finds) {
#ifdef CORRECT
        if (!fulfilled.exchange(true))
            promise.set_value(1);
#else
        if (!fulfilled.load()) {
            promise.set_value(1);
            fulfilled.store(true);
        }
#endif
    }
    make_noise();
    return nullptr;
}

static void *finds(long number) {
    if (number == THREADS - 1)
        return &fulfilled;
    return number == 0 ? &promise : nullptr;
}

int main() {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], nullptr, look, finds(i));
    promise.get_future().wait();
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], nullptr);
    return 0;
}
