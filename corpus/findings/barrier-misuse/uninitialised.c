// A barrier with static storage is not initialised by being zero.
#include <pthread.h>

static pthread_barrier_t barrier;

int main(void) {
    pthread_barrier_wait(&barrier); // BUG: barrier-misuse
    return 0;
}
