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

#if defined PARTLY || defined APART || defined UNALIGNED
static void *uses(void *arg) {
#ifdef APART
    mprotect(page + 4096, 4096, PROT_READ);
#else
    page[1] = 1;
#endif
    return arg;
}

int main(void) {
    page = mmap(NULL, 2 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
    pthread_t thread;
    pthread_create(&thread, NULL, uses, NULL);
#if defined PARTLY
    mprotect(page, 2 * 4096, PROT_READ | PROT_WRITE);
    page[4096] = 1;
#elif defined APART
    mprotect(page, 4096, PROT_READ);
#else
    mprotect(page + 1, 4096, PROT_NONE);
#endif
    pthread_join(thread, NULL);
    return 0;
}
#else
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
#endif
