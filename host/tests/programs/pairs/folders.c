/* Folders and what lies in them. */
#include "headers.h"

static DIR *folder;

static void begin(void) {
    folder = opendir(".");
}

static long count(const char *path) {
    DIR *listed = opendir(path);
    long entries = 0;
    while (listed && readdir(listed))
        entries++;
    return listed ? entries : -1;
}

static long end(void) {
    const char *names[] = {"a", "d/f", "e", "e/f", "e/new", "new"};
    long sum = 0;
    for (int at = 0; at < 6; at++)
        sum = sum * 2 + (access(names[at], F_OK) == 0);
    return sum;
}

static long listed(void) {
    struct dirent **entries;
    return scandir("e", &entries, 0, alphasort);
}

static long name_length(void) {
    char name[PATH_MAX];
    return getcwd(name, sizeof name) ? (long)strlen(name) : -1;
}

#define CALLS(CALL) \
    CALL(count(".")) \
    CALL(count("e")) \
    CALL(count("new")) \
    CALL(listed()) \
    CALL(readdir(folder) != 0) \
    CALL(rewinddir(folder), 0) \
    CALL(telldir(folder) == 0) \
    CALL(dirfd(folder)) \
    CALL(mkdir("new", 0700)) \
    CALL(mkdir("e/new", 0700)) \
    CALL(rmdir("e")) \
    CALL(creat("e/new", 0600) < 0) \
    CALL(unlink("a")) \
    CALL(unlink("d/f")) \
    CALL(rename("d/f", "e/f")) \
    CALL(rename("a", "e/f")) \
    CALL(access("e/f", F_OK)) \
    CALL(access("new", F_OK)) \
    CALL(access("e/new", F_OK)) \
    CALL(name_length()) \
    CALL(mkdirat(dirfd(folder), "new", 0700)) \
    CALL(unlinkat(AT_FDCWD, "e", AT_REMOVEDIR)) \
    CALL(symlink("e", "new"))

#include "driver.h"
