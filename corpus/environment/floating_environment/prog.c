// A thread begins with the rounding, the exceptions noted and those trapped of its creator, from when it was created; a
// handler begins with those of a new process.
#define _GNU_SOURCE
#include <assert.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>

static volatile double one = 1, zero = 0, result;

static void handler(int number) {
    (void)number;
    assert(fegetround() == FE_TONEAREST && !fetestexcept(FE_OVERFLOW));
}

static void *thread(void *argument) {
#ifdef ROUNDS
    assert(fegetround() == FE_TONEAREST); // BUG: assertion
#endif
    assert(fegetround() == FE_UPWARD);
    assert(fetestexcept(FE_ALL_EXCEPT) == FE_OVERFLOW);
#ifdef TRAPS
    result = one / zero; // BUG: crash
#endif
    raise(SIGUSR1);
    assert(fegetround() == FE_UPWARD && fetestexcept(FE_ALL_EXCEPT) == FE_OVERFLOW);
    fesetround(FE_DOWNWARD);
    return argument;
}

int main(void) {
    pthread_t one_thread;
    signal(SIGUSR1, handler);
    fesetround(FE_UPWARD);
    feraiseexcept(FE_OVERFLOW);
    feclearexcept(FE_INEXACT);
#ifdef TRAPS
    feenableexcept(FE_DIVBYZERO);
#endif
    pthread_create(&one_thread, 0, thread, 0);
    fesetround(FE_TOWARDZERO);
    pthread_join(one_thread, 0);
    assert(fegetround() == FE_TOWARDZERO);
    return 0;
}
