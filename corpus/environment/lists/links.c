// Elements are linked into a list: those beside them are written.
#include <assert.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>

struct element {
    struct element *next, *before;
};

static struct element first, second, last;

static void *inserter(void *argument) {
#ifdef RACE
    insque(&second, &first); // BUG: data-race
#endif
    return argument;
}

int main(void) {
    pthread_t thread;
    insque(&first, NULL);
    insque(&last, &first);
    pthread_create(&thread, NULL, inserter, NULL);
#ifdef GONE
    struct element *gone = malloc(sizeof *gone);
    insque(gone, &last);
    free(gone);
    remque(&last); // BUG: heap-use-after-free
#endif
    struct element *before = last.before; // BUG: data-race
    pthread_join(thread, NULL);
    remque(&last);
    assert(before == &first || before == &second);
    return 0;
}
