// Two threads of ROUNDS operations on one number each. What lives in them between operations is a counter, and HOW says
// what an analysis of changes from operation to operation (--local-states delta) knows of it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define KNOWN 1
#define BY_POINTER 2
#define BY_POINTER_THEN_KNOWN 3
#define HISTORY 4
#define BY_LIBRARY 5
#define BY_LIBRARY_THEN_KNOWN 6

#ifndef ROUNDS
#define ROUNDS 3
#endif
// What a thread that comes late sees first.
#ifndef LATE
#define LATE -1
#endif

#define NOINLINE __attribute__((noinline))

static atomic_int number;

static void round_of(int i) {
    int seen = atomic_fetch_add(&number, 1);
    assert(i != 0 || seen != LATE);
}

#if HOW == KNOWN
static void *thread(void *unused) {
    for (int i = 0; i < ROUNDS; i++)
        round_of(i);
    return unused;
}
#elif HOW == BY_POINTER
// The counter is changed by somebody else.
NOINLINE static void step(int *i) { *i += 1; }
static void *thread(void *unused) {
    int i = -1;
    step(&i);
    while (i < ROUNDS) {
        round_of(i);
        step(&i);
    }
    return unused;
}
#elif HOW == BY_POINTER_THEN_KNOWN
// The same, but then the function assigns to all that it has.
NOINLINE static void step(int *i) { *i += 1; }
static void *thread(void *unused) {
    (void)unused;
    int i = 0;
    while (i < ROUNDS) {
        round_of(i);
        step(&i);
        int next = i;
        i = next;
    }
    return NULL;
}
#elif HOW == BY_LIBRARY || HOW == BY_LIBRARY_THEN_KNOWN
// The counter is a number of letters, and a library may write to them through an address that it has kept in memory.
NOINLINE static void look(char **rest) { (void)strtok_r(NULL, ",", rest); }
static void *thread(void *unused) {
    (void)unused;
    int i = 0;
    char letters[8] = "b", *rest = letters;
    look(&rest);
    while (i < ROUNDS) {
        round_of(i);
        rest = letters;
        look(&rest);
#if HOW == BY_LIBRARY_THEN_KNOWN
        memset(letters, 0, sizeof letters);
        letters[0] = 'b';
        rest = letters;
#endif
        i++;
    }
    return NULL;
}
#elif HOW == HISTORY
// What the first operation has seen is forgotten before the next round; what came before lives on.
NOINLINE static int nothing(int seen) { return seen - seen; }
static atomic_int other;
static void *thread(void *unused) {
    int kept = atomic_load(&other) >= 0;
    int seen = atomic_fetch_add(&number, 1);
    atomic_fetch_add(&other, nothing(seen));
    for (int i = 0; i < ROUNDS; i += kept)
        round_of(i);
    return unused;
}
#else
#error "HOW"
#endif

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, thread, NULL);
    pthread_create(&b, NULL, thread, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
