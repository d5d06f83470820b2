// Signals, by the names that glibc's tests use.
#pragma once
#include "check.h"
#include "xthread.h"
#include <signal.h>

static inline void xsigaction(int number, const struct sigaction *action, struct sigaction *old) {
    int error = sigaction(number, action, old);
    assert(error == 0);
}

static inline void (*xsignal(int number, void (*handler)(int)))(int) {
    void (*old)(int) = signal(number, handler);
    assert(old != SIG_ERR);
    return old;
}
