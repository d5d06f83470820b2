/* Main allocates two blocks; the other thread frees one of them and allocates, as main does, while both run. With an argument main collects what others have freed. */
#include <assert.h>
#include <mimalloc.h>
#include <pthread.h>

static void *frees(void *block)
{
    mi_free(block);
    int *own = mi_malloc(sizeof *own);
    assert(own);
    *own = 1;
    mi_free(own);
    return 0;
}

int main(int argc, char **argv)
{
    (void)argv;
    pthread_t other;
    int *kept = mi_malloc(sizeof *kept);
    void *given = mi_malloc(32);
    assert(kept && given);
    *kept = 7;
    pthread_create(&other, 0, frees, given);
    if (argc > 1)
        mi_collect(true);
    int *later = mi_malloc(32);
    assert(later && later != kept);
    *later = 8;
    pthread_join(other, 0);
    assert(*kept == 7 && *later == 8);
    mi_free(later);
    mi_free(kept);
    return 0;
}
