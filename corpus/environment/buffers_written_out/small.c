/* A stream has a buffer of few bytes in memory of the program, which ends before the stream. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *on_stack(void *argument) {
    char buffer[100];
    FILE *output = fopen("output", "w");
    setvbuf(output, buffer, _IOFBF, sizeof buffer);
    fputs("x", output);
#ifdef CLOSED
    fclose(output);
#endif
    return argument;
}

static char *block;

static void give_back(void) {
    free(block);
}

int main(void) {
#if defined STACK
    pthread_t thread;
    pthread_create(&thread, NULL, on_stack, NULL);
    pthread_join(thread, NULL);
#else
    FILE *output = fopen("output", "w");
    block = malloc(SIZE);
    setvbuf(output, block, _IOFBF, SIZE);
    fputs("x", output);
#ifdef CLOSED
    fclose(output);
#endif
#ifdef HANDLER
    atexit(give_back);
#else
    give_back();
#endif
    (void)on_stack;
#endif
    return 0; // BUG: heap-use-after-free stack-use-after-return
}
