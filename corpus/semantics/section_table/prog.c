// A constant table in a section of its own, which nobody names: it is read by the symbol at the section's beginning.
#include <pthread.h>

static int shared;
#ifdef FUNCTIONS
static void store(void) {
    shared = 1; // BUG: data-race
}
static void (*const entry)(void) __attribute__((section("entries"), used)) = store;
extern void (*const __start_entries[])(void);
#else
static int *const entry __attribute__((section("entries"), used)) = &shared;
extern int *const __start_entries[];
#endif
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *argument) {
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
#ifdef FUNCTIONS
    __start_entries[0]();
#else
    *__start_entries[0] = 1; // BUG: data-race
#endif
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
    return argument;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, thread, NULL);
    pthread_mutex_lock(&mutex);
    shared = 2; // BUG: data-race
    pthread_mutex_unlock(&mutex);
    pthread_join(other, NULL);
    return shared > 2;
}
