// As thread.c: two threads pass a critical section, and the first one changes something of its own. Here that is always a
// local variable, and it is changed from elsewhere: through a pointer, by a library, by a function further in. A search
// that does not notice such a change takes the two orders for one state, and misses the assertion of one of the threads
// (wrong is 1 or 2). HIDDEN says how the variable is written.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Which order fails.
static int wrong;

#define BY_CALLEE 1
#define ABOVE 2
#define BY_LEAF 3
#define THROUGH_STRUCTURE 4
#define BY_LIBRARY 5
#define BY_LIBRARY_ABOVE 6
#define THROUGH_THREAD_LOCAL 7
#define RECURSION 8
#define BY_INDEX 9
#define BY_TAIL_CALL 10
#define BY_LIBRARY_TAIL_CALL 11
#define BY_POINTER_CALL 12
#define ATOMICALLY 13
#define BY_CALLBACK 14
#define ONE_OF_TWO 15
#define BY_OTHER_THREAD 16
#define COPIED 17
#define SECOND_LIFE 18
#define ONE_WAY 19
#define LINKED 20
#define BY_LIBRARY_TO_TWO 21
#define BY_JOIN 22
#define SPLIT 23
#define BY_LENGTH 24
#define HEAP_OR_STACK 25
#define INLINED 26
#define TWO_OF_THREE 27
#define AT_LAST_CALL 28

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

#if HIDDEN == BY_CALLEE
NOINLINE static void write_it(int *it) { *it = first(); }
static int hidden(void) {
    int it = 0;
    write_it(&it);
    both_have_passed();
    return it;
}
#elif HIDDEN == ABOVE
// What the middle one holds is the same in both orders.
NOINLINE static void write_it(int *it) { *it = first(); }
NOINLINE static void middle(int *it) {
    write_it(it);
    both_have_passed();
}
static int hidden(void) {
    int it = 0;
    middle(&it);
    return it;
}
#elif HIDDEN == BY_LEAF
NOINLINE static void write_it(int *it, int value) { *it = value; }
NOINLINE static void middle(int *it) {
    write_it(it, first());
    both_have_passed();
}
static int hidden(void) {
    int it = 0;
    middle(&it);
    both_have_passed();
    return it;
}
#elif HIDDEN == THROUGH_STRUCTURE
struct holder {
    struct holder *next;
    int *it;
};
NOINLINE static void write_it(struct holder *holder, int value) { *holder->next->it = value; }
NOINLINE static void middle(struct holder *holder) {
    write_it(holder, first());
    both_have_passed();
}
static int hidden(void) {
    int it = 0;
    struct holder inner = {NULL, &it}, outer = {&inner, NULL};
    middle(&outer);
    return it;
}
#elif HIDDEN == BY_LIBRARY
static int hidden(void) {
    char text[8] = "";
    strcpy(text, first() ? "1" : "0");
    both_have_passed();
    return atoi(text);
}
#elif HIDDEN == BY_LIBRARY_ABOVE
NOINLINE static void middle(char *text) {
    strcpy(text, first() ? "1" : "0");
    both_have_passed();
}
static int hidden(void) {
    char text[8] = "";
    middle(text);
    return atoi(text);
}
#elif HIDDEN == THROUGH_THREAD_LOCAL
static __thread int *place;
NOINLINE static void middle(void) {
    *place = first();
    both_have_passed();
}
static int hidden(void) {
    int it = 0;
    place = &it;
    middle();
    place = NULL;
    return it;
}
#elif HIDDEN == RECURSION
NOINLINE static int again(int *outer, int depth) {
    int it = 0;
    if (depth > 0) {
        int result = again(&it, depth - 1);
        return it + result;
    }
    *outer = first();
    both_have_passed();
    return 0;
}
static int hidden(void) {
    int it = 0;
    return again(&it, 1);
}
#elif HIDDEN == BY_INDEX
static int hidden(void) {
    int values[4] = {0};
    values[1 + first()] = 1;
    both_have_passed();
    return values[2];
}
#elif HIDDEN == BY_TAIL_CALL
NOINLINE static int write_it(int *it) {
    *it = first();
    return 0;
}
NOINLINE static int tail(int *it) { __attribute__((musttail)) return write_it(it); }
NOINLINE static void middle(int *it) {
    tail(it);
    both_have_passed();
}
static int hidden(void) {
    int it = 0;
    middle(&it);
    return it;
}
#elif HIDDEN == BY_LIBRARY_TAIL_CALL
NOINLINE static char *tail(char *text, const char *value) { __attribute__((musttail)) return strcpy(text, value); }
NOINLINE static void middle(char *text) {
    tail(text, first() ? "1" : "0");
    both_have_passed();
}
static int hidden(void) {
    char text[8] = "";
    middle(text);
    return atoi(text);
}
#elif HIDDEN == BY_POINTER_CALL
NOINLINE static void write_it(int *it) { *it = first(); }
NOINLINE static void write_none(int *it) { (void)it; }
static void (*volatile writer)(int *) = write_none;
__attribute__((constructor)) static void prepare(void) { writer = write_it; }
NOINLINE static void middle(int *it) {
    writer(it);
    both_have_passed();
}
static int hidden(void) {
    int it = 0;
    middle(&it);
    return it;
}
#elif HIDDEN == ATOMICALLY
NOINLINE static void middle(atomic_int *it) {
    int value = first();
    atomic_fetch_add(it, value);
    both_have_passed();
}
static int hidden(void) {
    atomic_int it = 0;
    middle(&it);
    return it;
}
#elif HIDDEN == BY_CALLBACK
// The elements are numbers followed by where to write.
struct element {
    int number;
    int *it;
};
static int compare(const void *a, const void *b) {
    const struct element *one = a, *other = b;
    *one->it = *other->it = one->number + other->number;
    return 0;
}
NOINLINE static void middle(int *it) {
    struct element elements[2] = {{first(), it}, {0, it}};
    qsort(elements, 2, sizeof *elements, compare);
    elements[0].number = elements[1].number = 0;
    both_have_passed();
}
static int hidden(void) {
    int it = 0;
    middle(&it);
    return it;
}
#elif HIDDEN == ONE_OF_TWO
static int hidden(void) {
    int it[2] = {0}, other[2] = {0};
    int *place = first() ? it : other;
    place[1] = 1;
    place = NULL;
    both_have_passed();
    return it[1];
}
#elif HIDDEN == BY_OTHER_THREAD
static void *write_it(void *it) {
    *(int *)it = first();
    return NULL;
}
static int hidden(void) {
    int it = 0;
    pthread_t child;
    pthread_create(&child, NULL, write_it, &it);
    pthread_join(child, NULL);
    both_have_passed();
    return it;
}
#elif HIDDEN == COPIED
struct many {
    int values[24];
};
NOINLINE static void middle(struct many *it) {
    struct many other = {{0}};
    other.values[7] = first();
    *it = other;
    other = (struct many){{0}};
    both_have_passed();
}
static int hidden(void) {
    struct many it = {{0}};
    middle(&it);
    return it.values[7];
}
#elif HIDDEN == SECOND_LIFE
// A block is entered twice, and its variable begins anew.
static int hidden(void) {
    int all = 0;
    for (int round = 0; round < 2; round++) {
        int it[2] = {round, 0};
        int *place = &it[round == 0];
        *place = round == 0 ? first() : 0;
        both_have_passed();
        all += it[1];
    }
    return all;
}
#elif HIDDEN == ONE_WAY
// Only on one of two ways to the next operation is the variable changed.
static int hidden(void) {
    int it = 0, kept = 1;
    if (first())
        it = kept;
    both_have_passed();
    both_have_passed();
    return it * kept;
}
#elif HIDDEN == LINKED
// A list through the stack: each call writes to the one before it.
struct link {
    struct link *before;
    int it;
};
NOINLINE static int go(struct link *before, int depth) {
    struct link own = {before, 0};
    if (depth == 2) {
        own.before->before->it = first();
        both_have_passed();
        return 0;
    }
    int below = go(&own, depth + 1);
    return own.it + below;
}
static int hidden(void) { return go(NULL, 0); }
#elif HIDDEN == BY_LIBRARY_TO_TWO
// One library call writes to variables of two functions further out.
NOINLINE static void inner(int *one, int *other) {
    sscanf(first() ? "1 1" : "1 0", "%d %d", one, other);
    both_have_passed();
}
NOINLINE static int middle(int *it) {
    int own = 0;
    inner(&own, it);
    return own;
}
static int hidden(void) {
    int it = 0, one = middle(&it);
    return it * one;
}
#elif HIDDEN == BY_JOIN
// The library writes after its visible operation.
static void *child(void *unused) {
    (void)unused;
    return (void *)(long)first();
}
NOINLINE static void middle(void **result) {
    pthread_t thread;
    pthread_create(&thread, NULL, child, NULL);
    pthread_join(thread, result);
    both_have_passed();
}
static int hidden(void) {
    void *result = NULL;
    middle(&result);
    return result != NULL;
}
#elif HIDDEN == SPLIT
// The library writes where an address in memory leads.
NOINLINE static void middle(char **rest) {
    if (first())
        strtok_r(NULL, ",", rest);
    both_have_passed();
}
static int hidden(void) {
    char text[] = "a,b", *rest, *start = strtok_r(text, ";", &rest);
    rest = start;
    middle(&rest);
    return text[1] == '\0';
}
#elif HIDDEN == BY_LENGTH
NOINLINE static void middle(char *it, size_t length) {
    memset(it, 1, length);
    both_have_passed();
}
static int hidden(void) {
    char it[24] = {0};
    middle(it, first() ? 17 : 16);
    return it[16];
}
#elif HIDDEN == HEAP_OR_STACK
NOINLINE static void write_it(int *it) { *it = 1; }
NOINLINE static void middle(int *it) {
    int *block = malloc(sizeof *block);
    write_it(block);
    write_it(first() ? it : block);
    free(block);
    block = NULL;
    both_have_passed();
}
static int hidden(void) {
    int it = 0;
    middle(&it);
    return it;
}
#elif HIDDEN == INLINED
NOINLINE static void write_both(int *it, int *other) {
    *it = first();
    *other = 7;
}
NOINLINE static void innermost(int *it, int *other) {
    write_both(it, other);
    both_have_passed();
}
__attribute__((always_inline)) static inline int inner(int *other) {
    int it = 0;
    innermost(&it, other);
    return it;
}
static int hidden(void) {
    int other = 0, it = inner(&other);
    return it && other == 7;
}
#elif HIDDEN == TWO_OF_THREE
// The bytes written belong to two elements of one variable.
NOINLINE static void middle(char *it) {
    short two = first() ? 0x0101 : 0x0001;
    memcpy(it + 1, &two, sizeof two);
    two = 0;
    both_have_passed();
}
static int hidden(void) {
    char it[4] = {0};
    middle(it);
    return it[2];
}
#elif HIDDEN == AT_LAST_CALL
// What the library has written is told when the function is left.
NOINLINE static void innermost(char *it) { strcpy(it, first() ? "1" : "0"); }
NOINLINE static void middle(char *it) {
    innermost(it);
    both_have_passed();
}
static int hidden(void) {
    char it[2] = "";
    middle(it);
    return it[0] == '1';
}
#else
#error "HIDDEN"
#endif

static void *thread(void *who) {
    int it = hidden();
    assert(!(it && (long)who == wrong));
    return NULL;
}

int main(int count, char **arguments) {
    (void)count;
    wrong = arguments[1][0] - '0';
    pthread_t threads[2];
    for (long who = 1; who <= 2; who++)
        pthread_create(&threads[who - 1], NULL, thread, (void *)who);
    for (int at = 0; at < 2; at++)
        pthread_join(threads[at], NULL);
    return 0;
}
