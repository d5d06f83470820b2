// A recursion that is deep but ends: 100 frames of more than a KiB, in a thread and in main.
#include <pthread.h>
#include <string.h>

static int depth(int left) {
    volatile char frame[1024];
    frame[left] = (char)left;
    return left == 0 ? 0 : depth(left - 1) + frame[left];
}

static void *thread(void *arg) {
    return depth(100) == 100 * 101 / 2 ? 0 : arg;
}

int main(void) {
    pthread_t t;
    void *result;
    pthread_create(&t, 0, thread, &t);
    pthread_join(t, &result);
    return result != 0 || depth(100) != 100 * 101 / 2;
}
