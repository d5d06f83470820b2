// Two threads pass a critical section; the first one changes something of its own that no variable shows. Once both have
// passed, the order is told by that alone: a search that takes the two orders for one state misses the assertion of one
// of the threads (wrong is 1 or 2). HIDDEN says what is changed.
#include <assert.h>
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

// Which order fails.
static int wrong;

#define VARIABLE 1
#define DEEP 2
#define DOUBLE 3
#define LONG_DOUBLE 4
#define WIDE 5
#define BY_VALUE 6
#define RETURNED 7
#define LENGTH_VARIES 8
#define ARGUMENTS_VARY 9
#define DEPTH 10
#define TAIL 11
#define CALLEE 12
#define PLACE 13
#define LARGE 14
#define TEMPORARY 15
#define JUMP 16
#define THREAD_LOCAL 17
#define ERRNO 18
#define SPECIFIC 19
#define ROUNDING 20
#define EXCEPTIONS 21
#define MASK 22
#define PENDING 23
#define CLOCK 24
#define MAPPING 25
#define HEAP 26
#define ONCE 27
#define RECURSIVE 28
#define RESULT 29
#define CHILD 30

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int passed;

static int first(void) {
    pthread_mutex_lock(&m);
    int is_first = passed++ == 0;
    pthread_mutex_unlock(&m);
    return is_first;
}

// Whoever comes here before both have passed tells nothing about what follows.
static void both_have_passed(void) {
    pthread_mutex_lock(&m);
    int both = passed == 2;
    pthread_mutex_unlock(&m);
    if (!both)
        pthread_exit(NULL);
}

#define NOINLINE __attribute__((noinline))

#if HIDDEN == VARIABLE
static int hidden(void) {
    int it = first();
    both_have_passed();
    return it;
}
#elif HIDDEN == DEEP
NOINLINE static int inner(void) {
    int it = first();
    both_have_passed();
    return it;
}
static int hidden(void) {
    int it = inner();
    both_have_passed();
    return it;
}
#elif HIDDEN == DOUBLE || HIDDEN == LONG_DOUBLE || HIDDEN == WIDE
#if HIDDEN == DOUBLE
typedef double number;
#elif HIDDEN == LONG_DOUBLE
typedef long double number;
#else
typedef __int128 number;
#endif
static int hidden(void) {
    number it = (number)first() * ((number)1 / 1) * 1000000000 * 1000000000 * 1000000000;
    both_have_passed();
    return it > 1000;
}
#elif HIDDEN == BY_VALUE
struct many {
    long values[12];
};
NOINLINE static long inner(struct many copy) {
    copy.values[7] = first();
    both_have_passed();
    return copy.values[7];
}
static int hidden(void) {
    struct many zeros = {{0}};
    return (int)inner(zeros);
}
#elif HIDDEN == RETURNED
struct many {
    long values[12];
};
NOINLINE static struct many inner(void) {
    struct many it = {{0}};
    it.values[7] = first();
    both_have_passed();
    return it;
}
static int hidden(void) {
    struct many it = inner();
    both_have_passed();
    return (int)it.values[7];
}
#elif HIDDEN == LENGTH_VARIES
NOINLINE static int inner(int length) {
    int values[length];
    values[length - 1] = first();
    both_have_passed();
    return values[length - 1];
}
static int hidden(void) { return inner(7); }
#elif HIDDEN == ARGUMENTS_VARY
NOINLINE static int inner(int count, ...) {
    va_list list;
    va_start(list, count);
    if (first())
        (void)va_arg(list, int);
    both_have_passed();
    int it = va_arg(list, int);
    va_end(list);
    return it;
}
static int hidden(void) { return inner(2, 0, 1); }
#elif HIDDEN == DEPTH
NOINLINE static int inner(int more) {
    if (more == 0) {
        both_have_passed();
        return 0;
    }
    return 1 + inner(more - 1);
}
static int hidden(void) { return inner(first() ? 2 : 1) == 2; }
#elif HIDDEN == TAIL
NOINLINE static int last(int unused) {
    (void)unused;
    return pthread_mutex_lock(&m);
}
NOINLINE static int tail(int value) { __attribute__((musttail)) return last(value + 1); }
static int hidden(void) {
    int it = first();
    tail(it);
    int both = passed == 2;
    pthread_mutex_unlock(&m);
    return it && both;
}
#elif HIDDEN == CALLEE
NOINLINE static int yes(void) { return 1; }
NOINLINE static int no(void) { return 0; }
static int hidden(void) {
    int (*it)(void) = first() ? yes : no;
    both_have_passed();
    return it();
}
#elif HIDDEN == PLACE
static int hidden(void) {
    if (first()) {
        both_have_passed();
        return 1;
    }
    both_have_passed();
    return 0;
}
#elif HIDDEN == LARGE
static int hidden(void) {
    char bytes[20000];
    memset(bytes, 0, sizeof bytes);
    bytes[19999] = (char)first();
    both_have_passed();
    return bytes[19999];
}
#elif HIDDEN == TEMPORARY
NOINLINE static int after(int value) {
    both_have_passed();
    return value;
}
NOINLINE static int sum(int a, int b, int c) { return a + b + c; }
static int hidden(void) { return sum(first(), after(0), after(0)); }
#elif HIDDEN == JUMP
static __thread jmp_buf place;
NOINLINE static void go(void) {
    both_have_passed();
    longjmp(place, 1);
}
static int hidden(void) {
    volatile int it = first();
    if (!setjmp(place))
        go();
    both_have_passed();
    return it;
}
#elif HIDDEN == THREAD_LOCAL
static __thread int it;
static int hidden(void) {
    if (first())
        it = 1;
    both_have_passed();
    return it;
}
#elif HIDDEN == ERRNO
static int hidden(void) {
    if (first())
        errno = ERANGE;
    both_have_passed();
    return errno == ERANGE;
}
#elif HIDDEN == SPECIFIC
static pthread_key_t key;
__attribute__((constructor)) static void prepare(void) { pthread_key_create(&key, NULL); }
static int hidden(void) {
    if (first())
        pthread_setspecific(key, &key);
    both_have_passed();
    return pthread_getspecific(key) != NULL;
}
#elif HIDDEN == ROUNDING
static int hidden(void) {
    if (first())
        fesetround(FE_UPWARD);
    both_have_passed();
    return fegetround() == FE_UPWARD;
}
#elif HIDDEN == EXCEPTIONS
// Noted by the older unit, which nothing but `long double` uses.
static int hidden(void) {
    volatile long double zero = 0, one = 1;
    if (first())
        one = one / zero;
    both_have_passed();
    return fetestexcept(FE_DIVBYZERO) != 0;
}
#elif HIDDEN == MASK || HIDDEN == PENDING
static int hidden(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    int is_first = first();
    if (is_first || HIDDEN == PENDING)
        pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (is_first && HIDDEN == PENDING)
        raise(SIGUSR1);
    both_have_passed();
    sigset_t now;
    if (HIDDEN == PENDING)
        sigpending(&now);
    else
        pthread_sigmask(SIG_BLOCK, NULL, &now);
    return sigismember(&now, SIGUSR1);
}
#elif HIDDEN == CLOCK
static int hidden(void) {
    struct timespec before, now;
    clock_gettime(CLOCK_MONOTONIC, &before);
    if (first())
        sleep(7);
    both_have_passed();
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec >= before.tv_sec + 7;
}
#elif HIDDEN == MAPPING
static int hidden(void) {
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (first())
        page[7] = 1;
    both_have_passed();
    return page[7];
}
#elif HIDDEN == HEAP
static int hidden(void) {
    char *start = malloc(16);
    char *lost = first() ? malloc(160) : NULL;
    lost = NULL;
    both_have_passed();
    char *next = malloc(16);
    return next - start >= 160;
}
#elif HIDDEN == ONCE
static pthread_once_t once[2] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT};
static __thread int runs;
static void initialise(void) { runs = 1; }
static int hidden_of(int who) {
    if (first())
        pthread_once(&once[who - 1], initialise);
    runs = 0;
    both_have_passed();
    pthread_once(&once[who - 1], initialise);
    return !runs;
}
#elif HIDDEN == RECURSIVE
static pthread_mutex_t again[2];
__attribute__((constructor)) static void prepare(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&again[0], &attributes);
    pthread_mutex_init(&again[1], &attributes);
}
static int hidden_of(int who) {
    pthread_mutex_t *mutex = &again[who - 1];
    pthread_mutex_lock(mutex);
    if (first())
        pthread_mutex_lock(mutex);
    both_have_passed();
    pthread_mutex_unlock(mutex);
    return pthread_mutex_unlock(mutex) == 0;
}
#elif HIDDEN == RESULT
static int hidden(void) {
    pthread_exit((void *)(long)first());
}
#elif HIDDEN == CHILD
static void *give(void *what) {
    both_have_passed();
    return what;
}
static int hidden(void) {
    pthread_t child;
    void *it;
    pthread_create(&child, NULL, give, (void *)(long)first());
    pthread_join(child, &it);
    return it != NULL;
}
#else
#error "HIDDEN"
#endif

static void *thread(void *who) {
#if HIDDEN == ONCE || HIDDEN == RECURSIVE
    int it = hidden_of((int)(long)who);
#else
    int it = hidden();
#endif
    assert(!(it && (long)who == wrong));
    return NULL;
}

int main(int count, char **arguments) {
    (void)count;
    wrong = arguments[1][0] - '0';
    pthread_t threads[2];
    void *results[2];
    for (long who = 1; who <= 2; who++)
        pthread_create(&threads[who - 1], NULL, thread, (void *)who);
    for (int at = 0; at < 2; at++)
        pthread_join(threads[at], &results[at]);
    assert(HIDDEN != RESULT || results[wrong - 1] == NULL);
    return 0;
}
