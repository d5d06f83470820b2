// A file is cut while it is mapped: what lies beyond its end cannot be accessed any more.
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

static char *page;
static int file;

static void *cut(void *arg) {
#if defined OPENED
    close(open("input.txt", O_WRONLY | O_TRUNC));
#elif defined MOVED
    // The mapping is of another file.
    close(open("other.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600));
#else
    ftruncate(file, 0);
#endif
    return arg;
}

int main(void) {
#if defined OPENED || defined MOVED
    file = open("input.txt", O_RDONLY);
    page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
#else
    file = open("new.txt", O_RDWR | O_CREAT, 0600);
    ftruncate(file, 4096);
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
#endif
    pthread_t thread;
    pthread_create(&thread, NULL, cut, NULL);
    volatile char first = page[0];
    (void)first;
    pthread_join(thread, NULL);
    return 0;
}
