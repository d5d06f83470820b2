// Main is the only thread, and nothing in the program needs a hook.
#include <pthread.h>
#include <stdlib.h>

static void at_end(void) {
    abort(); // BUG: abort
}

int main(void) {
    atexit(at_end);
    pthread_exit(NULL);
}
