/* A stream has its buffer in memory of the program. What is in the buffer is read when the C library writes it out: as
   the stream is closed, as the process ends, or as a stream that keeps nothing is read from. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void write_out(FILE *output, FILE *input) {
#if defined CLOSE
    fclose(output); // BUG: heap-use-after-free data-race
#elif defined EXIT
    exit(0); // BUG: heap-use-after-free data-race missing-pthread-exit
#elif defined INPUT
    getc(input); // BUG: heap-use-after-free data-race
#else
    (void)output, (void)input;
#endif
}

#ifdef RACE
static char buffer[1024];

static void *work(void *argument) {
    buffer[0] = 'q'; // BUG: data-race
    return argument;
}
#endif

int main(void) {
#ifdef INPUT
    FILE *output = stdout, *input = fopen("input", "r");
    setvbuf(input, 0, _IONBF, 0);
    int mode = _IOLBF;
#else
    FILE *output = fopen("output", "w"), *input = 0;
    int mode = _IOFBF;
#endif
#ifdef RACE
    setvbuf(output, buffer, mode, sizeof buffer);
    putc('x', output);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
#ifdef JOINED
    pthread_join(thread, 0);
#else
    pthread_detach(thread);
#endif
    write_out(output, input);
#else
    char *block = malloc(1024);
    setvbuf(output, block, mode, 1024);
    putc('x', output);
#ifdef FLUSHED
    fflush(output);
    free(block);
    write_out(output, input);
#else
    free(block);
    write_out(output, input);
#endif
#endif
#ifdef INPUT
    _exit(0); // BUG: missing-pthread-exit
#endif
    return 0; // BUG: heap-use-after-free data-race missing-pthread-exit
}
