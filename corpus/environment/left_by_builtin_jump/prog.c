// A built-in jump of the compiler leaves the function whose variable another thread uses. Inspect does not see what the
// jump does.
#include <pthread.h>
#include <stddef.h>

static void *before[5];
static pthread_t other;

static void *thread(void *variable) {
    ++*(int *)variable;
    return NULL;
}

static __attribute__((noinline)) void begin(void) {
    int local = 0;
    pthread_create(&other, NULL, thread, &local);
    __builtin_longjmp(before, 1);
}

int main(void) {
    if (__builtin_setjmp(before) == 0)
        begin();
    pthread_join(other, NULL);
    return 0;
}
