// An update is lost because of races on a global variable. The schedule that shows it counts the accesses to that
// variable, wherever the program is loaded.
#include <pthread.h>
#include <stdlib.h>

static int updates;

static void *first(void *arg) {
    updates++; // BUG: data-race
    return arg;
}

static void *second(void *arg) {
    updates++; // BUG: data-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (updates != 2)
        abort(); // BUG: abort
    return 0;
}
