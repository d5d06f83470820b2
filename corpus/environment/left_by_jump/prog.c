// longjmp leaves the function whose variable another thread uses: that ends the variable.
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>

static jmp_buf before;
static pthread_t other;

static void *thread(void *variable) {
    ++*(int *)variable; // BUG: data-race
    return NULL;
}

static void begin(void) {
    int local = 0;
    pthread_create(&other, NULL, thread, &local);
#ifdef JOINS
    pthread_join(other, NULL);
#endif
    longjmp(before, 1); // BUG: data-race
}

int main(void) {
    if (setjmp(before) == 0)
        begin();
#ifndef JOINS
    pthread_join(other, NULL);
#endif
    return 0;
}
