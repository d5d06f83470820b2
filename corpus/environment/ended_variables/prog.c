// A thread writes to a variable of main's stack that has ended before: main lets the thread go on by a mutex only after that,
// and is in other functions by then, whose frames cover the variable's memory. With JOINS the thread is there while the
// variable lives. OF is where the variable lives.
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>

static pthread_t other;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int four = 4;

static void *increment(void *variable) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    ++*(int *)variable; // BUG: stack-use-after-return
    return NULL;
}

static void start(int *variable) {
    pthread_create(&other, NULL, increment, variable);
}

// The variable lives at the first of the two places, and with LASTS at the second as well.
static void meet(void) {
    pthread_mutex_unlock(&mutex);
    pthread_join(other, NULL);
}
#if defined JOINS
#define FIRST meet()
#define SECOND
#else
#define FIRST
#define SECOND meet()
#endif

static __attribute__((noinline)) void cover(int depth) {
    volatile char frame[200];
    for (int i = 0; i < 200; i++)
        frame[i] = 0;
    if (depth)
        cover(depth - 1);
}

#define FUNCTION 1
#define BLOCK 2
#define ROUND 3
#define ARRAY 4
#define ARRAY_LEFT 5
#define ARRAY_INSIDE 6
#define ALLOCA_SOMETIMES 7
#define ALLOCA_ROUNDS 8
#define ALLOCA_FIXED 9
#define LITERAL 10
#define LITERAL_ARRAY 11
#define LITERAL_LEFT 12
#define LITERAL_CASE 13
#define LITERAL_FUNCTION 14
#define JUMP 15
#define ALLOCA_BLOCK 16
#define ALLOCA_MAIN 17
#define LITERAL_NESTED 18
#define ARRAY_OUTSIDE 19
#define LITERAL_CALL 20

static __attribute__((noinline)) void use(int n) {
#if OF == FUNCTION
    int variable = n;
    start(&variable);
    FIRST;
#elif OF == ARRAY
    if (n > 3) {
        int array[n];
        array[n - 1] = 0;
        start(&array[n - 1]);
        FIRST;
    }
    cover(1);
    SECOND;
#elif OF == ARRAY_LEFT
    {
        if (n > 9)
            goto out;
        int array[n];
        array[0] = 0;
        start(array);
        FIRST;
        if (n == 4)
            goto out;
        array[1] = 0;
    }
out:
    cover(1);
    SECOND;
#elif OF == ARRAY_INSIDE || OF == ARRAY_OUTSIDE
    int outer[n];
    outer[0] = 0;
    {
        int inner[2 * n];
        inner[0] = 0;
        start(OF == ARRAY_INSIDE ? inner : outer);
        FIRST;
    }
    cover(1);
    SECOND;
    outer[0] = 0;
#elif OF == ALLOCA_SOMETIMES
    if (n > 3) {
        int *memory = alloca(n * sizeof *memory);
        *memory = 0;
        start(memory);
    }
    FIRST;
#elif OF == ALLOCA_ROUNDS
    int *first = NULL;
    for (int i = 0; i < n; i++) {
        int *memory = alloca(sizeof *memory);
        *memory = i;
        if (first == NULL)
            first = memory;
    }
    start(first);
    FIRST;
#elif OF == ALLOCA_FIXED || OF == ALLOCA_BLOCK
    {
        int *memory = alloca(16);
        *memory = n;
        start(memory);
    }
    cover(1);
#if OF == ALLOCA_BLOCK
    SECOND;
#endif
    FIRST;
#elif OF == LITERAL_FUNCTION
    int *literal = &(int){n};
    start(literal);
    FIRST;
#elif OF == LITERAL_CALL
    {
        start(&(int){n});
        FIRST;
    }
    SECOND;
#elif OF == LITERAL_NESTED
    int *literal = &(int){n};
    if (n) {
        start(literal);
        cover(0);
    }
    cover(1);
    SECOND;
    FIRST;
#else
    (void)n;
#endif
}

int main(void) {
    pthread_mutex_lock(&mutex);
#if OF == BLOCK
    {
        int variable = 0;
        start(&variable);
        FIRST;
    }
#elif OF == ROUND
    for (int i = 0; i < 2; i++) {
        int variable = i;
        if (i == 0) {
            start(&variable);
            FIRST;
        }
    }
#elif OF == LITERAL
    {
        start(&(int){1});
        FIRST;
    }
#elif OF == LITERAL_ARRAY
    if (four) {
        start((int[]){1, 2, four});
        FIRST;
    }
#elif OF == LITERAL_LEFT
    for (int i = 0; i < 2; i++) {
        int *literal = &(int){i};
        if (i == 0) {
            start(literal);
            FIRST;
            continue;
        }
        cover(0);
        break;
    }
#elif OF == LITERAL_CASE
    switch (four) {
    case 4: {
        start(&(int){4});
        FIRST;
        break;
    }
    default:
        cover(0);
    }
#elif OF == JUMP
    static jmp_buf before;
    if (setjmp(before) == 0) {
        int *jumps(jmp_buf);
        jumps(before);
    }
#elif OF == ALLOCA_MAIN
    if (four) {
        int *memory = alloca(four * sizeof *memory);
        *memory = 0;
        start(memory);
    }
#else
    use(four);
#endif
    cover(2);
#if OF != ALLOCA_BLOCK && OF != LITERAL_NESTED && OF != LITERAL_CALL && OF != ARRAY && OF != ARRAY_LEFT && OF != ARRAY_INSIDE && OF != ARRAY_OUTSIDE
    SECOND;
#endif
    return 0;
}

#if OF == JUMP
int *jumps(jmp_buf before) {
    int variable = 1;
    start(&variable);
    FIRST;
    longjmp(before, 1);
}
#endif
