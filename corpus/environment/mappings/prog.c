// Memory that one thread maps, unmaps and protects while another one uses it; files that are in memory twice.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE 4096

static atomic_int *memory;

static void *thread(void *arg) {
    *memory = 1; // BUG: crash data-race
    return arg;
}

int main(void) {
    pthread_t other;
#if defined(TWICE) || defined(READ)
    int file = open("file", O_CREAT | O_RDWR, 0600);
    char byte = 0;
    if (ftruncate(file, SIZE) != 0)
        return 1;
    char *a = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    a[0] = 1;
#ifdef TWICE
    char *b = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    byte = b[0];
#else
    if (pread(file, &byte, 1, 0) != 1)
        return 2;
#endif
    (void)other, (void)thread;
    return byte != 1;
#else
    memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&other, NULL, thread, NULL);
#if defined(UNMAP)
    munmap(memory, SIZE); // BUG: data-race
#elif defined(PROTECT)
    mprotect(memory, SIZE, PROT_READ); // BUG: data-race
#endif
    pthread_join(other, NULL);
    return 0;
#endif
}
