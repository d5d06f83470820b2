// A flag publishes a message by a fence, which ThreadSanitizer does not know: its report of the message is false.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static char message[8], copy[8];
static atomic_int ready;

static void *publish(void *arg) {
    memcpy(message, "hello", 6);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return arg;
}

static void *receive(void *arg) {
    if (atomic_load_explicit(&ready, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        memcpy(copy, message, 6);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, publish, 0);
    pthread_create(&b, 0, receive, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
