// Memory that the C library was given, and that later calls use: the buffer of a stream, an environment variable, the state
// of random, used by one thread in the library's way and by the other one in the program's.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char memory[256];
static int value;

static void give(void) {
#if defined OUTPUT
    setvbuf(stdout, memory, _IOFBF, sizeof memory);
#elif defined VARIABLE
    strcpy(memory, "SIZE=5");
    putenv(memory);
#elif defined NUMBERS
    initstate(1, memory, sizeof memory);
#endif
}

static void use(void) {
#if defined OUTPUT
    puts("text"); // BUG: data-race
#elif defined VARIABLE
    value = atoi(getenv("SIZE")); // BUG: data-race
    assert(value == 5 || value == 6);
#elif defined NUMBERS
    value = (int)random(); // BUG: data-race
#endif
}

static void *thread(void *argument) {
#ifdef LOCKS
    pthread_mutex_lock(&mutex);
#endif
    use();
#ifdef LOCKS
    pthread_mutex_unlock(&mutex);
#endif
    return argument;
}

int main(void) {
    pthread_t other;
    give();
    pthread_create(&other, NULL, thread, NULL);
#ifdef LOCKS
    pthread_mutex_lock(&mutex);
#endif
#ifdef BOTH
    use();
#else
    memory[5] = '6'; // BUG: data-race
#endif
#ifdef LOCKS
    pthread_mutex_unlock(&mutex);
#endif
    pthread_join(other, NULL);
    return 0;
}
