// A thread uses a variable of a block whose cleanup, at its end, waits for the thread: the variable lives until then. The
// compiler does not mark where the variables of these blocks end, as jumps pass by their declarations.
#include <alloca.h>
#include <pthread.h>
#include <stddef.h>

static pthread_t thread;

static void *increment(void *variable) {
    ++*(int *)variable; // BUG: data-race
    return NULL;
}

static void wait_for(pthread_t *started) {
#ifndef OUTLIVES
    pthread_join(*started, NULL);
#else
    (void)started;
#endif
}

static int use(int way) {
#if defined JUMP
    // Of two rounds the second one passes by the declaration.
    if (way > 0)
        goto inside;
    {
        int variable;
    inside:;
        variable = 1;
        __attribute__((cleanup(wait_for))) pthread_t started;
        pthread_create(&started, NULL, increment, &variable);
        thread = started;
    }
#elif defined SWITCH
    switch (way) {
        int variable;
    case 0:;
        variable = 1;
        __attribute__((cleanup(wait_for))) pthread_t started;
        pthread_create(&started, NULL, increment, &variable);
        thread = started;
    }
#elif defined COMPUTED
    static void *const labels[] = {&&block, &&after};
    goto *labels[way > 5];
block: {
    int variable = 1;
    __attribute__((cleanup(wait_for))) pthread_t started;
    pthread_create(&started, NULL, increment, &variable);
    thread = started;
}
after:
#elif defined REUSED
    // The array is left in order; then its memory is that of a block which lives when the label is jumped to.
    static void *const labels[] = {&&in_use, &&after};
    {
        int array[way + 4];
        array[0] = 0;
        pthread_t other;
        pthread_create(&other, NULL, increment, array);
        pthread_join(other, NULL);
        if (way > 100)
            goto *labels[0];
    }
    int *memory = alloca((size_t)(way + 4) * sizeof *memory);
    memory[0] = 1;
    pthread_create(&thread, NULL, increment, memory);
    goto *labels[way > 100];
in_use:
after:
    pthread_join(thread, NULL);
#endif
    return 0; // BUG: data-race
}

int main(void) {
#if !defined JUMP || !defined OUTLIVES
    use(0);
#endif
#ifdef JUMP
    use(1);
#endif
#ifdef OUTLIVES
    pthread_join(thread, NULL);
#endif
    return 0;
}
