// A local static is initialised by whoever comes first, and the others wait. With THROWS the first attempt fails.
#include <assert.h>
#include <pthread.h>

static int made;

struct Made {
    int value;
    Made() {
#ifdef THROWS
        if (made++ == 0)
            throw 1;
#else
        made++;
#endif
        value = 3;
    }
};

static int get() {
    static Made one;
#ifdef CHANGES
    one.value++; // BUG: data-race
#endif
    return one.value;
}

static void *thread(void *) {
    try {
        assert(get() >= 3);
    } catch (int) {
    }
    return nullptr;
}

int main() {
    pthread_t other;
    pthread_create(&other, nullptr, thread, nullptr);
    thread(nullptr);
    pthread_join(other, nullptr);
#ifdef THROWS
    assert(made == 2);
#else
    assert(made == 1);
#endif
    return 0;
}
