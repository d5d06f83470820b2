// Figure 4.1 of the Inspect dissertation: two threads change one number in loops of atomic blocks, and each asserts
// something about the result. The assertion can fail.
// ASSERT=0 leaves the assertion out, so that no run ends early; LOCKED=1 makes the atomic blocks critical sections.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 16
#endif
#ifndef ASSERT
#define ASSERT 1
#endif
#ifndef LOCKED
#define LOCKED 0
#endif

#if LOCKED
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int d;
#else
static atomic_int d;
#endif

static int add(int n) {
#if LOCKED
    pthread_mutex_lock(&mutex);
    d = d + n;
    int now = d;
    pthread_mutex_unlock(&mutex);
    return now;
#else
    return atomic_fetch_add(&d, n) + n;
#endif
}

static void *thread1(void *arg) {
    (void)arg;
    for (int i = 0; i < N; i = i + 5) {
        int now = add(i);
        assert(!ASSERT || now % 5 != 4); // BUG: assertion
    }
    return NULL;
}

static void *thread2(void *arg) {
    (void)arg;
    for (int j = 0; j < N; j = j + 2) {
        int now = add(-j);
        assert(!ASSERT || now % 5 != 4); // BUG: assertion
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, thread1, NULL);
    pthread_create(&b, NULL, thread2, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
