// A descriptor that was opened for reading, before anybody wrote to the file, shows what another thread does to the file
// later, by a descriptor, a stream or a path of its own. The correct twin allows both orders.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int descriptor;
static FILE *stream;

static void *change(void *arg) {
#if defined(WRITE)
    int own = open("file", O_WRONLY);
    if (write(own, "XX", 2) != 2)
        return &descriptor;
    close(own);
#elif defined(EMPTY)
    int own = open("file", O_WRONLY | O_TRUNC);
    close(own);
#elif defined(SIZE)
    if (truncate("file", 2) != 0)
        return &descriptor;
#elif defined(STREAM)
    FILE *own = fopen("file", "w");
    fputs("XX", own);
    fclose(own);
#elif defined(REPLACE)
    if (rename("other", "file") != 0)
        return &descriptor;
#elif defined(REMOVE)
    if (unlink("file") != 0)
        return &descriptor;
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
    char text[8] = "";
    struct stat status;
    descriptor = open("file", O_RDONLY);
    stream = fopen("file", "r");
    pthread_create(&thread, NULL, change, NULL);
#if defined(WRITE)
    int changed = pread(descriptor, text, 2, 0) == 2 && text[0] == 'X';
#elif defined(EMPTY)
    int changed = read(descriptor, text, 5) == 0;
#elif defined(SIZE)
    int changed = fstat(descriptor, &status) == 0 && status.st_size == 2;
#elif defined(STREAM)
    size_t got = fread(text, 1, 5, stream);
    int changed = got < 5;
#elif defined(REPLACE)
    // Who has opened the file keeps it.
    assert(pread(descriptor, text, 5, 0) == 5 && memcmp(text, "hello", 5) == 0);
    int changed = fstat(descriptor, &status) == 0 && status.st_nlink == 0;
#elif defined(REMOVE)
    assert(pread(descriptor, text, 5, 0) == 5 && memcmp(text, "hello", 5) == 0);
    int changed = fstat(descriptor, &status) == 0 && status.st_nlink == 0;
#endif
#if defined(EARLY)
    assert(changed); // BUG: assertion(early)
#elif defined(LATE)
    assert(!changed); // BUG: assertion(late)
#else
    (void)changed;
#endif
    pthread_join(thread, NULL);
#if defined(WRITE)
    assert(pread(descriptor, text, 5, 0) == 5 && memcmp(text, "XXllo", 5) == 0);
#elif defined(SIZE)
    assert(read(descriptor, text, 5) == 2);
#elif defined(STREAM)
    assert(pread(descriptor, text, 5, 0) == 2 && memcmp(text, "XX", 2) == 0);
#elif defined(REPLACE)
    assert(stat("file", &status) == 0 && status.st_size == 3);
#endif
    return 0;
}
