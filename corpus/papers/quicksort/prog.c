// A parallel quicksort: workers take ranges from a shared stack, divide them, and put one half back. The shape of qsort in
// the Inspect dissertation, table 5.1.
// The stack is guarded by a mutex, and workers without work wait on a condition variable. No two workers ever have the same
// element in their ranges, so the elements need no lock; what one worker did to a range is handed on with the range.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef ELEMENTS
#define ELEMENTS 24
#endif
// Ranges up to this size are sorted by insertion.
#ifndef SMALL
#define SMALL 8
#endif
// What is wrong: 0 nothing, 1 the halves overlap by one element, 2 waiting workers are not told of the end.
#ifndef BUG
#define BUG 0
#endif

struct range {
    size_t first, end;
};

static int elements[ELEMENTS];

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct range ranges[ELEMENTS];
    size_t used;
    size_t open; // ranges on the stack or in a worker's hands
} stack = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void put(struct range range) {
    pthread_mutex_lock(&stack.lock);
    assert(stack.used < ELEMENTS);
    stack.ranges[stack.used++] = range;
    stack.open++;
    pthread_cond_signal(&stack.changed);
    pthread_mutex_unlock(&stack.lock);
}

// Waits for a range; false when all are sorted.
static bool take(struct range *range) {
    pthread_mutex_lock(&stack.lock);
    while (stack.used == 0 && stack.open > 0)
        pthread_cond_wait(&stack.changed, &stack.lock); // BUG: deadlock
    bool some = stack.used > 0;
    if (some)
        *range = stack.ranges[--stack.used];
    pthread_mutex_unlock(&stack.lock);
    return some;
}

// A range that was taken is sorted.
static void finish(void) {
    pthread_mutex_lock(&stack.lock);
    stack.open--;
    if (stack.open == 0 && BUG != 2)
        pthread_cond_broadcast(&stack.changed);
    pthread_mutex_unlock(&stack.lock);
}

static void swap(int *a, int *b) {
    int t = *a; // BUG: data-race
    *a = *b;    // BUG: data-race
    *b = t;     // BUG: data-race
}

static void sort_small(struct range range) {
    for (size_t i = range.first + 1; i < range.end; i++) {
        int element = elements[i]; // BUG: data-race
        size_t at = i;
        for (; at > range.first && elements[at - 1] > element; at--) // BUG: data-race
            elements[at] = elements[at - 1]; // BUG: data-race
        elements[at] = element; // BUG: data-race
    }
}

// Moves the median of first, middle and last to the end of the range.
static void choose_pivot(struct range range) {
    int *first = &elements[range.first], *middle = &elements[range.first + (range.end - range.first) / 2];
    int *last = &elements[range.end - 1];
    if (*middle < *first) // BUG: data-race
        swap(middle, first);
    if (*last < *first) // BUG: data-race
        swap(last, first);
    if (*middle < *last) // BUG: data-race
        swap(middle, last);
}

// Divides a range: what is smaller than the pivot, the pivot, the rest. Gives the pivot's place.
static size_t divide(struct range range) {
    choose_pivot(range);
    int pivot = elements[range.end - 1]; // BUG: data-race
    size_t border = range.first;
    for (size_t i = range.first; i + 1 < range.end; i++) {
        if (elements[i] < pivot) { // BUG: data-race
            swap(&elements[i], &elements[border]);
            border++;
        }
    }
    swap(&elements[border], &elements[range.end - 1]);
    return border;
}

// Sorts a range; the larger half of each division is left to whoever comes.
static void sort(struct range range) {
    while (range.end - range.first > SMALL) {
        size_t pivot = divide(range);
        struct range low = {range.first, pivot + (BUG == 1)}, high = {pivot + 1 - (BUG == 1), range.end};
        bool low_is_larger = low.end - low.first > high.end - high.first;
        put(low_is_larger ? low : high);
        range = low_is_larger ? high : low;
    }
    sort_small(range);
}

static void *worker(void *arg) {
    (void)arg;
    struct range range;
    while (take(&range)) {
        sort(range);
        finish();
    }
    return NULL;
}

// A permutation of 0 .. ELEMENTS - 1 with some elements doubled.
static void fill(void) {
    unsigned state = 2463534242u;
    for (int i = 0; i < ELEMENTS; i++)
        elements[i] = i - i % 5 / 4;
    for (size_t i = ELEMENTS - 1; i > 0; i--) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        swap(&elements[i], &elements[state % (i + 1)]);
    }
}

static void check(void) {
    int occurrences[ELEMENTS] = {0};
    for (int i = 0; i < ELEMENTS; i++) {
        assert(i == 0 || elements[i - 1] <= elements[i]); // BUG: assertion
        occurrences[elements[i]]++;
    }
    for (int i = 0; i < ELEMENTS; i++)
        occurrences[i - i % 5 / 4]--;
    for (int i = 0; i < ELEMENTS; i++)
        assert(occurrences[i] == 0); // BUG: assertion
}

int main(void) {
    pthread_t workers[WORKERS];
    fill();
    put((struct range){0, ELEMENTS});
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, worker, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    check();
    return 0;
}
