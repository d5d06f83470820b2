// The thread of an object calls its virtual functions until the destructor has joined it: each destructor begins with a write
// of the address of its class's functions, which is there already. That of the base class writes another one.
#include <pthread.h>

struct Task {
    pthread_t thread;
    int runs = 0;
    virtual void run() = 0;
    virtual ~Task() { // BUG: data-race
#ifdef LATE
        pthread_join(thread, nullptr);
#endif
    }
};

static void *work(void *argument) {
    static_cast<Task *>(argument)->run(); // BUG: data-race
    return nullptr;
}

struct Counter : Task {
    void start() { pthread_create(&thread, nullptr, work, static_cast<Task *>(this)); }
    void run() override { runs++; }
    ~Counter() override {
#ifndef LATE
        pthread_join(thread, nullptr);
#endif
    }
};

int main() {
    Counter counter;
    counter.start();
    return 0;
}
