// What one thread does to a file by one of its names, or to a symbolic link or a folder on the way to it, is seen by
// another one that comes by another way. The correct twin allows both orders.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int second;

static void *change(void *arg) {
#if defined(SECOND)
    // Another name from before this thread.
    second = open("second", O_WRONLY);
    if (write(second, "XX", 2) != 2)
        return &second;
#elif defined(MADE)
    // A name of this thread's own.
    if (link("file", "own") != 0)
        return &second;
    second = open("own", O_WRONLY | O_TRUNC);
#elif defined(LINK)
    if (symlink("file", "way") != 0)
        return &second;
#elif defined(UNLINK)
    if (unlink("link") != 0)
        return &second;
#elif defined(FOLDER)
    if (mkdir("folder", 0755) != 0)
        return &second;
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
    char text[8] = "";
    struct stat status;
    (void)text, (void)status;
    assert(symlink("file", "link") == 0);
#if defined(SECOND)
    assert(link("file", "second") == 0);
#endif
    int descriptor = open("link", O_RDONLY);
    pthread_create(&thread, NULL, change, NULL);
#if defined(SECOND)
    int changed = pread(descriptor, text, 2, 0) == 2 && text[0] == 'X';
#elif defined(MADE)
    int changed = stat("file", &status) == 0 && status.st_nlink == 2 && status.st_size == 0;
#elif defined(LINK)
    int changed = open("way", O_RDONLY) >= 0;
#elif defined(UNLINK)
    int changed = open("link", O_RDONLY) < 0;
#elif defined(FOLDER)
    int made = open("folder/file", O_CREAT | O_WRONLY, 0600);
    assert(made >= 0 || errno == ENOENT);
    int changed = made >= 0;
#endif
#if defined(EARLY)
    assert(changed); // BUG: assertion(early)
#elif defined(LATE)
    assert(!changed); // BUG: assertion(late)
#else
    (void)changed;
#endif
    pthread_join(thread, NULL);
    assert(pread(descriptor, text, 5, 0) >= 0);
#if defined(SECOND)
    assert(memcmp(text, "XXllo", 5) == 0);
#elif defined(FOLDER)
    assert((rmdir("folder") == 0) == !changed);
#elif !defined(MADE)
    assert(memcmp(text, "hello", 5) == 0);
#endif
    return 0;
}
