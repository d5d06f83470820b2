// A walk that changes the folder, during which there is another thread for a while, as CREATES says: the walk is not announced step
// by step, so the run ends.
#define _GNU_SOURCE
#include <ftw.h>
#include <pthread.h>

static void *ends(void *arg) {
    return arg;
}

static int visit(const char *path, const struct stat *status, int kind, struct FTW *at) {
    (void)path, (void)status, (void)kind, (void)at;
#ifdef CREATES
    pthread_t thread;
    pthread_create(&thread, 0, ends, 0);
    pthread_join(thread, 0);
#else
    (void)ends;
#endif
    return 0;
}

int main(void) {
    return nftw(".", visit, 8, FTW_CHDIR);
}
