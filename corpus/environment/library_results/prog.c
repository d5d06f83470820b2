// Results that lie in memory of the C library: the calls are made under a lock, and what the first of them returned is
// read without it, while the next one writes it anew.
#define _GNU_SOURCE
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile char sink;

static const char *library(int number) {
    (void)number;
#if defined BASE_64
    return l64a(number); // BUG: data-race
#elif defined DECIMAL
    int point, sign;
    return ecvt(number + 0.5, 3, &point, &sign); // BUG: data-race
#elif defined LONG_DECIMAL
    int point, sign;
    return qecvt(number + 0.5L, 3, &point, &sign); // BUG: data-race
#elif defined CONVENTIONS
    return (const char *)localeconv(); // BUG: data-race
#elif defined TEMPORARY
    return tmpnam(NULL); // BUG: data-race
#endif
}

static void *thread(void *argument) {
    pthread_mutex_lock(&mutex);
    const char *result = library(1);
#ifdef COPIED
    sink = result[0];
#endif
    pthread_mutex_unlock(&mutex);
#ifndef COPIED
    sink = result[0]; // BUG: data-race
#endif
    return argument;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, thread, NULL);
    pthread_mutex_lock(&mutex);
    library(77);
    pthread_mutex_unlock(&mutex);
    pthread_join(other, NULL);
    return 0;
}
