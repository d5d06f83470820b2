// Installs a handler for the segmentation fault and leaves it by longjmp.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>

static sigjmp_buf back;
static atomic_int x;

static void handler(int number) {
    siglongjmp(back, number);
}

static void *thread(void *arg) {
    atomic_fetch_add(&x, 1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    int *volatile nowhere = 0;
    signal(SIGSEGV, handler);
    pthread_create(&a, 0, thread, 0);
    pthread_create(&b, 0, thread, 0);
    int caught = sigsetjmp(back, 1);
    if (caught == 0)
        *nowhere = 1;
    pthread_join(a, 0);
    pthread_join(b, 0);
    return caught == SIGSEGV ? 0 : 1;
}
