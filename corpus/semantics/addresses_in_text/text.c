/* The address of a variable is written down outside of the program's memory, as text or as the size of a file, and
   another thread reads it there; as far as the analysis knows, it may use a variable of its own instead. Main accesses the
   variable by its name meanwhile. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
#elif defined BYTES
    FILE *file = fopen("text", "w");
    fwrite(&address, sizeof address, 1, file);
    fclose(file);
#elif defined SIZE
    FILE *file = fopen("text", "w");
    ftruncate(fileno(file), (off_t)address);
    fclose(file);
#elif defined VARIABLE
    setenv("ADDRESS", text, 1);
#endif
}

static void find(int **found) {
    char text[32] = "";
#if defined PRINTED
    FILE *file = fopen("text", "r");
    fgets(text, sizeof text, file);
    fclose(file);
#elif defined PUT
    FILE *file = fopen("text", "r");
    fscanf(file, "%p", (void **)found);
    fclose(file);
    return;
#elif defined PIPE
    read(ends[0], text, sizeof text - 1);
#elif defined BYTES
    FILE *file = fopen("text", "r");
    fgets((char *)found, sizeof *found + 1, file);
    fclose(file);
    return;
#elif defined SIZE
    struct stat about;
    stat("text", &about);
    *found = (int *)about.st_size;
    return;
#elif defined VARIABLE
    strcpy(text, getenv("ADDRESS"));
#endif
    *found = (int *)strtoul(text, 0, 16);
}

static void *work(void *argument) {
    int own = 0, *found = &own;
    if (!argument)
        find(&found);
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
