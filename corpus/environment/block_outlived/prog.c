// A thread writes to a variable that may have ended although the function of the thread that gave it away goes on, or
// that is no ordinary variable of that function: one of a block, an array whose length is computed, a copied parameter.
// JUMP leaves the block by a computed goto. LENGTH is a length that the optimiser finds out.
#include <alloca.h>
#include <pthread.h>
#include <stddef.h>

static pthread_t thread;

struct large {
    int values[20];
};

static void *increment(void *variable) {
    ++*(int *)variable; // BUG: data-race
    return NULL;
}

static void start(int *variable) {
    *variable = 1;
    pthread_create(&thread, NULL, increment, variable);
#ifdef JOINS
    pthread_join(thread, NULL);
#endif
}

static void finish(void) {
#ifndef JOINS
    pthread_join(thread, NULL);
#endif
}

#if defined JUMP
// Goes back to the first label once, and ends at the second.
static void use(int length) {
    static void *const labels[] = {&&again, &&done};
    int rounds = 0;
again:
    rounds++; // BUG: data-race
    if (rounds == 1) {
#ifdef ARRAY
        int array[length];
        start(&array[length - 1]);
#else
        int local = length;
        start(&local);
#endif
        goto *labels[0];
    }
    finish();
    goto *labels[1];
done:
    return;
}
#elif defined ARRAY
static void use(int length) {
    for (int i = 0; i < 1; i++) {
        int array[length];
        start(&array[length - 1]);
    } // BUG: data-race
    finish();
}
#elif defined ALLOCA
static void use(int length) {
    start(alloca((size_t)length * sizeof(int)));
} // BUG: data-race
#elif defined PARAMETER
static void use_copy(struct large large) {
    start(&large.values[7]);
} // BUG: data-race
static void use(int length) {
    struct large large = {{length}};
    use_copy(large);
}
#else
static void use(int length) {
    {
        int local = length;
        start(&local);
    } // BUG: data-race
    finish();
}
#endif

int main(int count, char **arguments) {
    (void)arguments;
#ifdef LENGTH
    count = LENGTH;
#endif
    use(count + 8);
#if defined ALLOCA || defined PARAMETER
    finish();
#endif
    return 0;
}
