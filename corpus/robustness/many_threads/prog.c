// One thread more than a run may have.
#include <pthread.h>

#ifndef N
#define N 64
#endif

static void *thread(void *arg) {
    return arg;
}

int main(void) {
    for (int i = 0; i < N; i++) {
        pthread_t t;
        if (pthread_create(&t, 0, thread, 0) != 0)
            return 1;
        pthread_join(t, 0);
    }
    return 0;
}
