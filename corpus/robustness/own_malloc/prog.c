// A program with an allocator of its own.
#include <pthread.h>
#include <stddef.h>

static char pool[1 << 16] __attribute__((aligned(16)));
static size_t used;

void *malloc(size_t size) {
    void *block = pool + used;
    used += (size + 15) & ~(size_t)15;
    return used <= sizeof pool ? block : NULL;
}

void free(void *block) {
    (void)block;
}

static void *thread(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    pthread_join(t, 0);
    return 0;
}
