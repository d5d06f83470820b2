// A function that gives its variable to a thread, which writes to it first, is called again and again: the variable is a new
// one each time, in memory where others have ended.
#include <alloca.h>
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct large {
    int values[20];
};

static int *volatile shown;

static void *set(void *variable) {
    *(int *)variable = 7;
    return NULL;
}

static int meet(int *variable) {
    pthread_t thread;
    pthread_create(&thread, NULL, set, variable);
    pthread_join(thread, NULL);
    return *variable;
}

// Ends variables in the memory that the others use.
static __attribute__((noinline)) void before(void) {
    int many[100];
    shown = many;
    many[0] = 0;
    shown = NULL;
}

static __attribute__((noinline)) int local(void) {
    int variable;
    return meet(&variable);
}

static __attribute__((noinline)) int array(int n) {
    int variable[n];
    return meet(&variable[n - 1]);
}

static __attribute__((noinline)) int sometimes(int n) {
    int *memory = NULL;
    if (n)
        memory = alloca(n * sizeof *memory);
    return meet(&memory[n - 1]);
}

static __attribute__((noinline)) int copied(struct large parameter) {
    return meet(&parameter.values[3]);
}

static __attribute__((noinline)) int literal(void) {
    int seen = 0;
    for (int i = 0; i < 2; i++) {
        int *variable = &(int){i};
        seen += meet(variable);
    }
    return seen / 2;
}

// No declaration of the variable is ever passed.
static __attribute__((noinline)) int bypassed(int n) {
    int seen = 0;
    switch (n) {
        int variable;
    case 1:
        variable = 1;
        seen = meet(&variable);
        break;
    case 2:
        variable = 2;
        seen = meet(&variable);
        break;
    }
    return seen;
}

int main(void) {
    struct large large = {{0}};
    for (int i = 1; i < 3; i++) {
        before();
        assert(local() == 7);
        before();
        assert(array(3 * i) == 7);
        before();
        assert(sometimes(5 * i) == 7);
        before();
        assert(copied(large) == 7);
        before();
        assert(literal() == 7);
        before();
        assert(bypassed(i) == 7);
    }
    return 0;
}
