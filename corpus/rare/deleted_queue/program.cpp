// PRODUCERS threads put one entry each into a queue, and the consumer deletes the queue once it has all of them. A
// producer gives the mutex back before it notifies: between the two the consumer may take its entry, the last one,
// and delete the queue with the condition variable in it.
#include <condition_variable>
#include <mutex>
#include <pthread.h>

#include "../noise.h"

struct queue {
    std::mutex mutex;
    std::condition_variable filled;
    int entries = 0;
};

static queue *shared;

static void *produce(void *unused) {
    make_noise();
    queue *mine = shared;
    std::unique_lock<std::mutex> lock(mine->mutex);
    mine->entries++;
#ifndef CORRECT
    lock.unlock();
#endif
    mine->filled.notify_one(); // BUG: heap-use-after-free data-race
    make_noise();
    return unused;
}

static void *consume(void *unused) {
    make_noise();
    {
        std::unique_lock<std::mutex> lock(shared->mutex);
        while (shared->entries < PRODUCERS)
            shared->filled.wait(lock);
    }
    make_noise();
    delete shared; // BUG: data-race
    make_noise();
    return unused;
}

int main() {
    pthread_t producers[PRODUCERS], consumer;
    shared = new queue;
    pthread_create(&consumer, nullptr, consume, nullptr);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_create(&producers[i], nullptr, produce, nullptr);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(producers[i], nullptr);
    pthread_join(consumer, nullptr);
    return 0;
}
