// A lock-free stack of numbered places. A pop that was interrupted between reading the head's successor and its
// compare-exchange does not notice that the head was popped, another one after it, and the first pushed again. OTHERS
// threads count meanwhile.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

enum { PLACES = 3, NONE = -1, TAG = 1 << 8 };

static atomic_int head, successor[PLACES], owners[PLACES], count;

// A head has the number of its place in the lower bits, and in the correct version how often it was changed above them.
static int place(int value) {
    return (signed char)(value & 0xff);
}

static int changed(int old, int to) {
#ifdef CORRECT
    return ((old & ~0xff) + TAG) | (to & 0xff);
#else
    (void)old;
    return to & 0xff;
#endif
}

static int pop(void) {
    int old = atomic_load(&head), next;
    do {
        if (place(old) == NONE)
            return NONE;
        next = atomic_load(&successor[place(old)]);
    } while (!atomic_compare_exchange_strong(&head, &old, changed(old, next)));
    assert(atomic_fetch_add(&owners[place(old)], 1) == 0); // BUG: assertion
    return place(old);
}

static void push(int number) {
    atomic_fetch_sub(&owners[number], 1);
    int old = atomic_load(&head);
    do
        atomic_store(&successor[number], place(old));
    while (!atomic_compare_exchange_strong(&head, &old, changed(old, number)));
}

static void *pop_two(void *unused) {
    make_noise();
    pop();
    pop();
    make_noise();
    return unused;
}

static void *swap(void *unused) {
    make_noise();
    int one = pop();
    pop();
    if (one != NONE)
        push(one);
    make_noise();
    return unused;
}

static void *other(void *unused) {
    make_noise();
    atomic_fetch_add(&count, 1);
    make_noise();
    return unused;
}

int main(void) {
    pthread_t popping, swapping, others[OTHERS];
    for (int i = 0; i < PLACES; i++)
        atomic_store(&successor[i], i + 1 < PLACES ? i + 1 : NONE);
    pthread_create(&swapping, NULL, swap, NULL);
    for (int i = 0; i < OTHERS; i++)
        pthread_create(&others[i], NULL, other, NULL);
    pthread_create(&popping, NULL, pop_two, NULL);
    pthread_join(swapping, NULL);
    for (int i = 0; i < OTHERS; i++)
        pthread_join(others[i], NULL);
    pthread_join(popping, NULL);
    return 0;
}
