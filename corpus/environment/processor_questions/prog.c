// Threads ask the processor what it is, as programs do that choose the fastest of several functions. The answer is the same
// each time, and does not say on which processor the thread runs.
#include <assert.h>
#include <cpuid.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned counts[256], features;

static unsigned own_number(void) {
    unsigned a, b, c, d;
#ifdef BY_LEAF_11
    if (__get_cpuid_max(0, 0) < 11)
        return 0;
    __cpuid_count(11, 0, a, b, c, d);
    return d;
#else
    assert(__get_cpuid(1, &a, &b, &c, &d));
    return b >> 24;
#endif
}

static void *thread(void *argument) {
    unsigned a, b, c, d;
    __cpuid(1, a, b, c, d);
#ifdef OWN_FORM
    unsigned again = 1, kept_c = 0, kept_d = 0;
    __asm__("cpuid" : "+a"(again), "=c"(kept_c), "=d"(kept_d) : : "ebx");
    assert(kept_d == d && (kept_c | 1u << 27) == (c | 1u << 27));
#endif
#ifdef UNLOCKED
    features = d; // BUG: data-race
#else
    pthread_mutex_lock(&mutex);
    features = d;
    counts[own_number() & 255]++;
    pthread_mutex_unlock(&mutex);
#endif
    return argument;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, thread, 0);
    thread(0);
    pthread_join(other, 0);
#ifndef UNLOCKED
    assert(counts[0] == 2);
#endif
    assert(features & 1u << 26);
#ifdef MIXED
    unsigned a = 1, d;
    __asm__ volatile("cpuid; rdtsc" : "+a"(a), "=d"(d) : : "ebx", "ecx");
#endif
    return 0;
}
