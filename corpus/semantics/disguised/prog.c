// One thread keeps a pointer in a form that does not look like one; the other makes it a pointer again and writes where
// it leads.
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef FORM
#define FORM 0
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#if FORM == 0 // two members of 32 bits
static struct { uint32_t low, high; } kept;
static void keep(int *p) {
    union { int *p; struct { uint32_t low, high; } half; } u = {p};
    kept.low = u.half.low;
    kept.high = u.half.high;
}
static int *find(void) {
    union { int *p; struct { uint32_t low, high; } half; } u;
    u.half.low = kept.low;
    u.half.high = kept.high;
    return u.p;
}
#elif FORM == 1 // the real and the imaginary part of a complex number
static float _Complex kept;
static void keep(int *p) {
    memcpy(&kept, &p, sizeof p);
}
static int *find(void) {
    float _Complex copy = kept;
    int *p;
    memcpy(&p, &copy, sizeof p);
    return p;
}
#elif FORM == 2 // the bits of a floating-point number, passed by value
static double kept;
static double to_double(int *p) {
    union { int *p; double d; } u = {p};
    return u.d;
}
static int *to_pointer(double d) {
    union { double d; int *p; } u = {d};
    return u.p;
}
static void keep(int *p) {
    kept = to_double(p);
}
static int *find(void) {
    return to_pointer(kept);
}
#elif FORM == 3 // the distance from the place where it is kept
static ptrdiff_t kept;
static void keep(int *p) {
    kept = (char *)p - (char *)&kept;
}
static int *find(void) {
    return (int *)((char *)&kept + kept);
}
#endif

static void set(int *p, int value) {
#ifdef LOCKED
    pthread_mutex_lock(&lock);
#endif
    *p = value; // BUG: data-race
#ifdef LOCKED
    pthread_mutex_unlock(&lock);
#endif
}

static void *thread(void *arg) {
    set(find(), 1);
    return arg;
}

int main(void) {
    int *block = malloc(sizeof *block);
    keep(block);
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    set(block, 2);
    pthread_join(t, NULL);
    pthread_mutex_destroy(&lock);
    free(block);
    return 0;
}
