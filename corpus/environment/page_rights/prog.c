// Threads change what may be done with a page, and its contents. Which change comes last decides whether main may write.
// GRANTS: only one changes the rights, and the other needs the right that it grants.
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

static char *page;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *allow(void *arg) {
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
    mprotect(page, 4096, PROT_READ | PROT_WRITE); // BUG: data-race
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
    return arg;
}

static void *other(void *arg) {
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
#if defined GRANTS
    page[1] = 1; // BUG: crash BUG: data-race
#elif defined SAME
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
#else
    mprotect(page, 4096, PROT_READ);
#endif
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
    return arg;
}

int main(void) {
    int rights = PROT_READ;
#ifndef GRANTS
    rights |= PROT_WRITE;
#endif
    page = mmap(NULL, 4096, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, allow, NULL);
#ifdef JOINS
    pthread_join(threads[0], NULL);
#endif
    pthread_create(&threads[1], NULL, other, NULL);
#ifndef JOINS
    pthread_join(threads[0], NULL);
#endif
    pthread_join(threads[1], NULL);
    page[0] = 1; // BUG: crash
    return 0;
}
