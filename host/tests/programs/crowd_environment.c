// More threads than there is room for at first; the environment is that of the check.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *thread(void *arg) {
    return arg;
}

int main(void) {
    pthread_t threads[70];
    for (int i = 0; i < 70; i++)
        pthread_create(&threads[i], 0, thread, 0);
    for (int i = 0; i < 70; i++)
        pthread_join(threads[i], 0);
    const char *preloaded = getenv("LD_PRELOAD");
#ifdef EXPECTED
    assert(preloaded && strcmp(preloaded, EXPECTED) == 0);
#else
    assert(!preloaded);
#endif
    return 0;
}
