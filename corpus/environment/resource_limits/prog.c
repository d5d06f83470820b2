// A thread raises a resource limit that functions of the C library look at in other threads.
#include <pthread.h>
#include <stddef.h>
#include <sys/resource.h>

static void *raise_limit(void *unused)
{
    struct rlimit stack;
    getrlimit(RLIMIT_STACK, &stack);
    stack.rlim_cur = stack.rlim_max;
    setrlimit(RLIMIT_STACK, &stack);
    return unused;
}

int main(void)
{
#ifdef ALONE
    raise_limit(NULL);
#else
    pthread_t thread;
    pthread_create(&thread, NULL, raise_limit, NULL);
    pthread_join(thread, NULL);
#endif
    return 0;
}
