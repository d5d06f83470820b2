// As thread.c, but what matters is how the memory was written: in ways that no visible operation names, by another thread
// into somebody's frame, by a library. Between that and the end there are states that differ in nothing else, so a search
// that keeps its hash from one state to the next must have seen it.
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Which order fails.
static int wrong;

#define OTHERS_VARIABLE 1
#define COPIED 2
#define PRINTED 3
#define PRINTED_FOR_ITSELF 4
#define REALLOCATED 5
#define ASSEMBLY 6
#define JUMPED 7
#define STORED 8
#define OUT 9
#define INDEXED 10
#define RESULT 11
#define MAIN_ONLY 12
#define GIVEN_BACK 13

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int passed;

#define NOINLINE __attribute__((noinline))

// A critical section that changes nothing: states before and after it are compared.
static void rest(void) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}

// Under the mutex.
static int pass(void) {
    if (passed == 1)
        pthread_cond_broadcast(&changed);
    return passed++ == 0;
}

static int first(void) {
    pthread_mutex_lock(&m);
    int is_first = pass();
    pthread_mutex_unlock(&m);
    // So that the write that follows lies between two states of one execution.
    rest();
    return is_first;
}

static void wait_for_both(void) {
    pthread_mutex_lock(&m);
    while (passed < 2)
        pthread_cond_wait(&changed, &m);
    pthread_mutex_unlock(&m);
    rest();
}

// Somebody else who could go on all the time: states in which only one can are not compared.
static void *bystander(void *unused) {
    rest();
    return unused;
}

#if HIDDEN == OTHERS_VARIABLE || HIDDEN == COPIED || HIDDEN == PRINTED
// The first one writes to a variable of the other one's.
static char *places[2];
static void *(*volatile copy)(void *, const void *, size_t) = memcpy;
static int hidden(int who) {
    char variable[2] = "0";
    pthread_mutex_lock(&m);
    places[who - 1] = variable;
    pthread_mutex_unlock(&m);
    rest();
    pthread_mutex_lock(&m);
    char *place = places[2 - who];
    if (pass() && place)
#if HIDDEN == OTHERS_VARIABLE
        place[0] = '1';
#elif HIDDEN == COPIED
        copy(place, "1", 1);
#else
        snprintf(place, 2, "%d", 1);
#endif
    pthread_mutex_unlock(&m);
    rest();
    wait_for_both();
    pthread_mutex_lock(&m);
    int it = variable[0] == '1';
    pthread_mutex_unlock(&m);
    return it;
}
#elif HIDDEN == PRINTED_FOR_ITSELF
static int hidden(int who) {
    (void)who;
    char *text = malloc(8);
    rest();
    snprintf(text, 8, "%d", first());
    rest();
    wait_for_both();
    return text[0] == '1';
}
#elif HIDDEN == REALLOCATED
static int hidden(int who) {
    (void)who;
    char *block = malloc(8);
    rest();
    block = realloc(block, 100);
    block[70] = 0;
    rest();
    block[70] = (char)first();
    rest();
    wait_for_both();
    return block[70];
}
#elif HIDDEN == ASSEMBLY
static int hidden(int who) {
    (void)who;
    int *block = calloc(1, sizeof *block);
    rest();
    int is_first = first();
    __asm__ volatile("movl %1, %0" : "=m"(*block) : "r"(is_first));
    rest();
    wait_for_both();
    return *block;
}
#elif HIDDEN == JUMPED
static _Thread_local jmp_buf target;
NOINLINE static void write_and_jump(int *block) {
    *block = first();
    longjmp(target, 1);
}
NOINLINE static void jump(int *block) {
    if (!setjmp(target))
        write_and_jump(block);
}
static int hidden(int who) {
    (void)who;
    int *block = calloc(1, sizeof *block);
    rest();
    jump(block);
    rest();
    wait_for_both();
    return *block;
}
#elif HIDDEN == STORED
static int hidden(int who) {
    (void)who;
    atomic_int *block = calloc(1, sizeof *block);
    rest();
    atomic_store(block, first());
    rest();
    wait_for_both();
    return atomic_load(block);
}
#elif HIDDEN == OUT
NOINLINE static void give(int *out) {
    rest();
    *out = first();
}
static int hidden(int who) {
    (void)who;
    int it = 0;
    give(&it);
    rest();
    wait_for_both();
    return it;
}
#elif HIDDEN == INDEXED
static volatile int at = 2;
static int hidden(int who) {
    (void)who;
    int values[4] = {0};
    int place = at;
    rest();
    values[place] = first();
    rest();
    wait_for_both();
    return values[at];
}
#elif HIDDEN == RESULT
static void *give(void *what) {
    rest();
    return what;
}
static int hidden(int who) {
    (void)who;
    void **block = calloc(1, sizeof *block);
    pthread_t child;
    pthread_create(&child, NULL, give, (void *)(long)first());
    pthread_join(child, block);
    rest();
    wait_for_both();
    return *block != NULL;
}
#elif HIDDEN == MAIN_ONLY
// Only main touches this, and nobody anything near it.
static struct {
    _Alignas(256) int of_main;
} own_memory;
static int hidden(int who) {
    (void)who;
    int is_first = first();
    rest();
    wait_for_both();
    return is_first;
}
static int own(void) {
    rest();
    own_memory.of_main = first();
    rest();
    wait_for_both();
    return own_memory.of_main;
}
#elif HIDDEN == GIVEN_BACK
// What was written is overwritten and written again.
static int hidden(int who) {
    (void)who;
    int *block = calloc(1, sizeof *block);
    int is_first = first();
    for (int round = 0; round < 3; round++) {
        *block = round % 2 ? 0 : is_first;
        rest();
    }
    wait_for_both();
    return *block;
}
#else
#error "HIDDEN"
#endif

static void *thread(void *who) {
    int it = hidden((int)(long)who);
    assert(!(it && (long)who == wrong));
    return NULL;
}

int main(int count, char **arguments) {
    (void)count;
    wrong = arguments[1][0] - '0';
    pthread_t threads[2], other;
#if HIDDEN == MAIN_ONLY
    pthread_create(&threads[0], NULL, thread, (void *)1L);
    pthread_create(&other, NULL, bystander, NULL);
    int it = own();
    assert(!(it && wrong == 2));
    pthread_join(threads[0], NULL);
#else
    for (long who = 1; who <= 2; who++)
        pthread_create(&threads[who - 1], NULL, thread, (void *)who);
    pthread_create(&other, NULL, bystander, NULL);
    for (int at = 0; at < 2; at++)
        pthread_join(threads[at], NULL);
#endif
    pthread_join(other, NULL);
    return 0;
}
