// What the C library reads and writes for its caller counts as the caller's access: another thread looks at the same
// memory at the same time. What the library locks itself is no race, and a thread that waits for a time gets there.
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <time.h>
#include <wchar.h>

static union {
    char bytes[256];
    int number;
    double real;
    void *pointer;
    pthread_attr_t attributes;
    pthread_key_t key;
    sigset_t signals;
    wchar_t wide[64];
} shared;
static char other[256];
static atomic_int done;

static void *caller(void *argument) {
#if defined EXPONENT
    frexp(3.5, &shared.number); // BUG: data-race
#elif defined FRACTION
    modf(3.5, &shared.real); // BUG: data-race
#elif defined SIGN
    lgamma(-0.5); // BUG: data-race
#elif defined CLEAR
    explicit_bzero(shared.bytes, 64); // BUG: data-race
#elif defined COMPARE
    bcmp(shared.bytes, other, 64);
#elif defined STACK_SIZE
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_getstacksize(&attributes, (size_t *)shared.bytes); // BUG: data-race
#elif defined ATTRIBUTES
    pthread_attr_setdetachstate(&shared.attributes, PTHREAD_CREATE_DETACHED); // BUG: data-race
#elif defined KEY
    pthread_key_create(&shared.key, 0); // BUG: data-race
#elif defined ALIGNED
    posix_memalign(&shared.pointer, 64, 64); // BUG: data-race
#elif defined CANCEL
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &shared.number); // BUG: data-race
#elif defined SIGNALS
    sigaddset(&shared.signals, SIGUSR1); // BUG: data-race
#elif defined WIDE
    wmemcpy(shared.wide, (wchar_t *)other, 64); // BUG: data-race
#elif defined LIMITS
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
#elif defined RANDOM
    other[0] = (char)rand();
#elif defined WAITING
    done = 1;
#endif
    return 0;
}

int main(void) {
    pthread_t thread;
    int seen = 0;
    pthread_attr_init(&shared.attributes);
    pthread_create(&thread, 0, caller, 0);
#if defined SIGN
    seen = signgam;
#elif defined COMPARE
    shared.bytes[3] = 1; // BUG: data-race
#elif defined LIMITS
    struct rlimit limit;
    seen = getrlimit(RLIMIT_NOFILE, &limit);
#elif defined RANDOM
    seen = rand();
#elif defined WAITING
    time_t end = time(0) + 5;
    while (time(0) < end) {
    }
#else
    seen = shared.bytes[3];
#endif
    pthread_join(thread, 0);
    return seen == 12345;
}
