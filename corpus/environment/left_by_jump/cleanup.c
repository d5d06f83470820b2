// A thread ends in a function with a cleanup handler: the variables of that function end as well, after the handler.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic(int *) shared;

static void clean(void *arg) {
    *(int *)arg += 1;
}

static void *thread(void *arg) {
    int own = 1;
#ifdef LASTS
    static int value;
#else
    int value;
#endif
    value = 5;
    pthread_cleanup_push(clean, &own); // BUG: data-race
    shared = &value;
    pthread_exit(arg);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void) {
    pthread_t t;
    int seen = 5;
    pthread_create(&t, NULL, thread, NULL);
    int *value = shared;
    if (value)
        seen = *value; // BUG: data-race BUG: stack-use-after-return
    pthread_join(t, NULL);
    return seen != 5;
}
