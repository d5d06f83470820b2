// Objects that grow in memory that the library gets from the program's functions.
#include <assert.h>
#include <obstack.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

static struct obstack common;

static void *grower(void *argument) {
    struct obstack own, *stack = &own;
    char piece[3000];
    memset(piece, 'a', sizeof piece);
    obstack_init(&own);
#ifdef RACE
    stack = &common;
#endif
    obstack_grow(stack, piece, sizeof piece); // BUG: data-race
    obstack_grow(stack, piece, sizeof piece); // BUG: data-race
#ifndef RACE
    char *text = obstack_finish(stack);
    assert(text[0] == 'a' && text[5999] == 'a');
#endif
    return argument;
}

int main(void) {
    pthread_t thread;
    obstack_init(&common);
    pthread_create(&thread, NULL, grower, NULL);
    grower(NULL);
    pthread_join(thread, NULL);
    return 0;
}
