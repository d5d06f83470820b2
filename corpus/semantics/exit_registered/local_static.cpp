// A thread makes a local variable of static storage, and so registers its destructor, which main may call at the end.
#include <pthread.h>
#include <stdlib.h>

namespace {

struct Resource {
    Resource() : value(1) {}
    ~Resource() {
        if (value)
            abort(); // BUG: abort
    }
    int value;
};

void *work(void *argument) {
    static Resource resource;
    return argument;
}

} // namespace

int main() {
    pthread_t thread;
    pthread_create(&thread, nullptr, work, nullptr);
#ifdef DETACHED
    pthread_detach(thread);
    return 0;
#else
    pthread_join(thread, nullptr);
    _Exit(0);
#endif
}
