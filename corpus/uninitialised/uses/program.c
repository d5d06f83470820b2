// Ways in which uninitialised memory comes to decide something, one for each value of USE. Each has a corrected twin.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifdef CORRECT
#define START = {0}
#define FILL(object) memset(&(object), 0, sizeof(object))
#else
#define START
#define FILL(object) (void)0
#endif

static int table[4] = {1, 2, 3, 4};
static int sink;

struct parts {
    char tag;
    unsigned small : 3;
    unsigned large : 20;
    int value;
};

static int passed_on(int value) { return value + 1; }

static int chosen(int known) {
    int value;
#ifdef CORRECT
    value = 0;
#endif
    if (known)
        value = 4;
    return value;
}

static int second(int count, ...) {
    va_list list;
    va_start(list, count);
    va_arg(list, int);
    int value = va_arg(list, int);
    va_end(list);
    return value;
}

static void *thread(void *argument) {
    int *given = argument;
    if (*given) // BUG: uninitialised-use(through-thread)
        sink++;
    return 0;
}

static int compare(const void *a, const void *b) {
    int left = *(const int *)a, right = *(const int *)b;
    if (left < right) // BUG: uninitialised-use(callback)
        return -1;
    return left > right;
}

static void use(void) {
#if USE == 1
    struct parts one START;
    if (one.value) // BUG: uninitialised-use(local)
        sink++;
#elif USE == 2
    int index START;
    FILL(index);
    sink += table[index & 3]; // BUG: uninitialised-use(index)
#elif USE == 3
    struct parts one START, two;
    two = one;
    if (two.value) // BUG: uninitialised-use(copied)
        sink++;
#elif USE == 4
    if (passed_on(chosen(0)) > 2) // BUG: uninitialised-use(returned)
        sink++;
#elif USE == 5
    struct parts one START;
    one.small = 3;
    if (one.large) // BUG: uninitialised-use(bits)
        sink++;
#elif USE == 6
    int *block = malloc(2 * sizeof *block);
    FILL(*block);
    block = realloc(block, 8 * sizeof *block);
    switch (block[0]) { // BUG: uninitialised-use(moved)
    case 1:
        sink++;
    }
    free(block);
#elif USE == 7
    char text[8] START;
    sink += strlen(text); // BUG: uninitialised-use(string)
#elif USE == 8
    int number START;
    FILL(number);
    printf("%d\n", number); // BUG: uninitialised-use(printed)
#elif USE == 9
    int number START;
    FILL(number);
    if (second(2, 1, number)) // BUG: uninitialised-use(variable-arguments)
        sink++;
#elif USE == 10
    int list[3] START, wanted = 2;
    list[0] = 1;
    sink += bsearch(&wanted, list, 3, sizeof *list, compare) != 0;
#elif USE == 11
    _Atomic int shared;
#ifdef CORRECT
    atomic_init(&shared, 0);
#endif
    if (atomic_load(&shared)) // BUG: uninitialised-use(atomic)
        sink++;
#elif USE == 12
    int *given = malloc(sizeof *given);
    FILL(*given);
    pthread_t other;
    pthread_create(&other, 0, thread, given);
    pthread_join(other, 0);
    free(given);
#elif USE == 13
    union {
        double number;
        uint64_t bits;
    } both START;
    if (both.bits >> 63) // BUG: uninitialised-use(union)
        sink++;
#elif USE == 14
    static struct parts kept;
    struct parts one START;
    memcpy(&kept, &one, sizeof one);
    if (kept.tag) // BUG: uninitialised-use(static)
        sink++;
#elif USE == 15
    int *pointer START;
    FILL(pointer);
#ifdef CORRECT
    pointer = table;
#endif
    sink = *pointer; // BUG: uninitialised-use(pointer) crash
#elif USE == 16
    float number START;
    FILL(number);
    if (number * 2 > 1) // BUG: uninitialised-use(float)
        sink++;
#elif USE == 17
    char buffer[8];
    FILL(buffer);
    snprintf(buffer, sizeof buffer, "ab");
    if (buffer[5]) // BUG: uninitialised-use(behind-the-end)
        sink++;
#elif USE == 18
    // The first round leaves a value where the second one has none.
    for (int round = 0; round < 2; round++) {
        int value START;
        FILL(value);
        if (round == 0)
            value = 3;
        if (value > 2) // BUG: uninitialised-use(round)
            sink++;
    }
#elif USE == 21
    int *block = calloc(2, sizeof *block);
    block = realloc(block, 4 * sizeof *block);
#ifdef CORRECT
    block[3] = 1;
#endif
    if (block[3]) // BUG: uninitialised-use(grown)
        sink++;
    free(block);
#elif USE == 22
    struct parts one START, two = {0};
    bcopy(&one, &two, sizeof one);
    if (two.value) // BUG: uninitialised-use(by-the-library)
        sink++;
#elif USE == 19
    int list[3] START;
    list[0] = 1;
    qsort(list, 3, sizeof *list, compare);
#elif USE == 20
    _Atomic int counter;
#ifdef CORRECT
    atomic_init(&counter, 0);
#endif
    if (atomic_fetch_add(&counter, 1)) // BUG: uninitialised-use(update)
        sink++;
#endif
}

static void *begin(void *unused) {
    (void)unused;
    use();
    return 0;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, 0, begin, 0);
    pthread_join(worker, 0);
}
