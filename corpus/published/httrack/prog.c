// HTTrack 3.43: the thread that fetches is started before main has stored the global options, to which a signal of progress
// refers. Fixed by handing them over to the thread. WRONG == 1: as it was.
#include <pthread.h>
#include <stdlib.h>

struct options {
    int depth;
};

static struct options *global_options;

static void *fetches(void *arg) {
#if WRONG
    struct options *options = global_options; // BUG: data-race
    (void)arg;
#else
    struct options *options = arg;
#endif
    options->depth++; // BUG: crash
    return 0;
}

int main(void) {
    pthread_t thread;
    struct options *options = calloc(1, sizeof *options);
    pthread_create(&thread, 0, fetches, options);
    global_options = options; // BUG: data-race
    pthread_join(thread, 0);
    return global_options->depth != 1;
}
