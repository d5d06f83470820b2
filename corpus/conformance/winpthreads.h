// What the tests of winpthreads include, on a system that is not Windows.
#pragma once
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timeb.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long DWORD;

#define _timeb timeb
#define Sleep(milliseconds) usleep((milliseconds) * 1000)
#define PTW32_THREAD_NULL_ID 0
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP
#define PTHREAD_ERRORCHECK_MUTEX_INITIALIZER PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP
// There, a LONG has 32 bits.
#define LPLONG int *
#define InterlockedIncrement(number) (atomic_fetch_add((_Atomic int *)(number), 1) + 1)
#define InterlockedDecrement(number) (atomic_fetch_sub((_Atomic int *)(number), 1) - 1)
#define InterlockedExchangeAdd(number, addend) atomic_fetch_add((_Atomic int *)(number), addend)

// The C library's ftime is no function of its headers any more.
static inline void _ftime(struct timeb *now) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    now->time = time.tv_sec;
    now->millitm = (unsigned short)(time.tv_nsec / 1000000);
}

#define pthread_gethandle(thread) ((void *)(thread))
#define pthread_delay_np(length) nanosleep(length, NULL)
#define PTR2INT(pointer) ((int)(intptr_t)(pointer))

static const char *error_string[200] __attribute__((unused));
