// Functions of which the loader chooses the implementation: a resolver of the program's own, or the compiler's for
// several processors. Both threads call one and count without a lock.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count;

#ifdef CLONES
__attribute__((target_clones("avx2", "default"))) void add(void) {
    int seen = count;
    count = seen + 1;
}
#else
static void add_one(void) {
    int seen = count;
    count = seen + 1;
}

static void (*choose(void))(void) {
    return add_one;
}

static void add(void) __attribute__((ifunc("choose")));
#endif

static void *thread(void *arg) {
    add();
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    add();
    pthread_join(t, NULL);
    assert(count == 2); // BUG: assertion
    return 0;
}
