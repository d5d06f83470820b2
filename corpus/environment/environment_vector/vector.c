// The program makes a vector of environment variables of its own.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static char **vector;

static void *reader(void *argument) {
    char *value = getenv("NAME"); // BUG: data-race
    assert(value != NULL && value[0] == 'v');
    return argument;
}

int main(void) {
    pthread_t thread;
    vector = malloc(2 * sizeof *vector);
    vector[0] = strdup("NAME=value");
    vector[1] = NULL;
    environ = vector;
    pthread_create(&thread, NULL, reader, NULL);
#ifdef TEXT
    vector[0][9] = 'f'; // BUG: data-race
#elif defined SET
    setenv("NAME", "very other", 1); // BUG: data-race
#elif defined VECTOR
    vector[1] = NULL; // BUG: data-race
#endif
    pthread_join(thread, NULL);
#ifdef GONE
    free(vector);
    getenv("NAME"); // BUG: heap-use-after-free
#elif defined TEXT_GONE
    free(vector[0]);
    getenv("NAME"); // BUG: heap-use-after-free
#endif
    return 0;
}
