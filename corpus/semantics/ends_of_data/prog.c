// A thread reads all variables of the program by the names that the linker gives to the ends of its data, as collectors
// of garbage do, while main writes one of them.
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

extern char __bss_start[], _end[];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long secret;

static void *look(void *sum) {
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
    for (uintptr_t at = ((uintptr_t)__bss_start + 7) & ~(uintptr_t)7; at + 8 <= (uintptr_t)_end; at += 8)
        *(long *)sum += *(long *)at == 77; // BUG: data-race
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
    return NULL;
}

int main(void) {
    pthread_t t;
    long sum = 0;
    secret = 1;
    pthread_create(&t, NULL, look, &sum);
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
    secret = 77; // BUG: data-race
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
    pthread_join(t, NULL);
    pthread_mutex_destroy(&mutex);
    return sum > 1 || secret != 77;
}
