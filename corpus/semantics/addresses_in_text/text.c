/* The address of a variable is written down as text outside of the program's memory, and another thread reads it there.
   Main accesses the variable by its name meanwhile. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef LOCKED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK pthread_mutex_lock(&lock)
#define UNLOCK pthread_mutex_unlock(&lock)
#else
#define LOCK (void)0
#define UNLOCK (void)0
#endif

static int ends[2];

static void leave(uintptr_t address) {
    char text[32];
    snprintf(text, sizeof text, "%lx", address);
#if defined PRINTED
    FILE *file = fopen("text", "w");
    fprintf(file, "%lx", address);
    fclose(file);
#elif defined PUT
    FILE *file = fopen("text", "w");
    fputs(text, file);
    fclose(file);
#elif defined PIPE
    pipe(ends);
    dprintf(ends[1], "%lx", address);
    close(ends[1]);
#elif defined VARIABLE
    setenv("ADDRESS", text, 1);
#endif
}

static uintptr_t find(void) {
    char text[32] = "";
#if defined PRINTED
    FILE *file = fopen("text", "r");
    fgets(text, sizeof text, file);
    fclose(file);
#elif defined PUT
    uintptr_t address = 0;
    FILE *file = fopen("text", "r");
    fscanf(file, "%lx", &address);
    fclose(file);
    return address;
#elif defined PIPE
    read(ends[0], text, sizeof text - 1);
#elif defined VARIABLE
    strcpy(text, getenv("ADDRESS"));
#endif
    return strtoul(text, 0, 16);
}

static void *work(void *argument) {
    int *found = (int *)find();
    LOCK;
    *found = 1; // BUG: data-race
    UNLOCK;
    return argument;
}

int main(void) {
    int variable = 0;
    leave((uintptr_t)&variable);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    LOCK;
    variable = 2; // BUG: data-race
    UNLOCK;
    pthread_join(thread, 0);
    return variable == 9;
}
