// A file gets another name, relative to a folder, or another size, beside a thread that looks for it.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int folder;
static int found;

static void *changer(void *argument) {
#ifdef SIZE
    assert(truncate("file", 1) == 0);
#else
    assert(renameat(folder, "file", AT_FDCWD, "other") == 0);
#endif
    return argument;
}

int main(void) {
    pthread_t thread;
    struct stat status;
    folder = open(".", O_RDONLY | O_DIRECTORY);
    pthread_create(&thread, NULL, changer, NULL);
    found = stat("file", &status) == 0;
#ifdef BEFORE
    assert(found && status.st_size == 3); // BUG: assertion
#endif
    pthread_join(thread, NULL);
#ifdef SIZE
    assert(stat("file", &status) == 0 && status.st_size == 1);
#else
    assert(stat("file", &status) == -1 && stat("other", &status) == 0 && status.st_size == 3);
#endif
#ifdef GONE
    char *path = malloc(8);
    free(path);
    renameat(folder, path, folder, "file"); // BUG: heap-use-after-free
#endif
    return 0;
}
