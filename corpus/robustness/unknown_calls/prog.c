// Functions that no table describes, in one position each: those that are called keep a program from being verified.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void asks(void) {
    Dl_info info;
    dladdr(&shared, &info);
}

__attribute__((noinline)) static void asks_last(void) {
    Dl_info info;
    // The compiler makes a jump of the call.
    dladdr(&shared, &info);
}

#ifdef CONSTRUCTOR
__attribute__((constructor)) static void before_main(void) { asks(); }
#endif
#ifdef DESTRUCTOR
__attribute__((destructor)) static void after_main(void) { asks(); }
#endif

#ifdef POINTER
static int (*volatile through)(const void *, Dl_info *) = dladdr;
#endif

static int compares(const void *left, const void *right) {
    asks();
    return *(const int *)left - *(const int *)right;
}

static void *thread(void *argument) {
    pthread_mutex_lock(&mutex);
    shared++;
    int before = shared;
    pthread_mutex_unlock(&mutex);
#ifdef IN_THREAD
    asks();
#endif
#ifdef IN_ONE_ORDER
    if (before == 2)
        asks_last();
#endif
#ifdef NEVER
    if (before == 3)
        asks();
#endif
#ifdef NEVER_ON_ERROR
    if (pthread_mutex_lock(&mutex) != 0)
        fprintf(stderr, "%s\n", dlerror());
    else
        pthread_mutex_unlock(&mutex);
#endif
    (void)before;
    return argument;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, thread, NULL);
    thread(NULL);
    pthread_join(other, NULL);
#ifdef IN_MAIN
    asks();
#endif
#ifdef IN_CALLBACK
    int numbers[2] = {2, 1};
    qsort(numbers, 2, sizeof numbers[0], compares);
#endif
#ifdef AT_EXIT
    atexit(asks);
#endif
#ifdef POINTER
    Dl_info info;
    if (shared == 3)
        through(&shared, &info);
#endif
    return 0;
}
