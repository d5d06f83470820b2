// A thread's function that ends without a return statement: nobody uses what it returns.
#include <pthread.h>

static int value;

static void *thread(void *) {
    value = 1;
}

int main() {
    pthread_t t;
    pthread_create(&t, nullptr, thread, nullptr);
    pthread_join(t, nullptr);
    return value - 1;
}
