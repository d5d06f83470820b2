// Listings of folders in which the program makes and removes files. Every program of these holds natively as well.
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make(const char *path) {
    int file = open(path, O_CREAT | O_WRONLY | O_EXCL, 0600);
    assert(file >= 0);
    close(file);
}

// How often a name is in a folder, each time with the type and the number that lstat tells.
static int times(const char *path, const char *name) {
    int found = 0;
    DIR *folder = opendir(path);
    assert(folder != NULL);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, name) != 0)
            continue;
        found++;
        char at[300];
        struct stat status;
        snprintf(at, sizeof at, "%s/%s", path, name);
        assert(lstat(at, &status) == 0);
        assert(entry->d_ino == status.st_ino);
        assert(entry->d_type == IFTODT(status.st_mode));
    }
    closedir(folder);
    return found;
}

static int count(const char *path) {
    int found = 0;
    DIR *folder = opendir(path);
    while (readdir(folder) != NULL)
        found++;
    closedir(folder);
    return found;
}

// What was made, what was removed, and what took the place of another one.
static void change(void) {
    assert(count("d") == 4 && times("d", "one") == 1 && times("d", "two") == 1);
    make("d/new");
    assert(count("d") == 5 && times("d", "new") == 1);
    assert(unlink("d/one") == 0);
    assert(count("d") == 4 && times("d", "one") == 0);
    make("d/one");
    assert(count("d") == 5 && times("d", "one") == 1);
    assert(rename("d/new", "d/two") == 0);
    assert(count("d") == 4 && times("d", "two") == 1 && times("d", "new") == 0);
    assert(rename("d/two", "d/three") == 0);
    assert(count("d") == 4 && times("d", "two") == 0 && times("d", "three") == 1);
    assert(link("d/three", "d/other") == 0 && symlink("nowhere", "d/link") == 0 && mkfifo("d/fifo", 0600) == 0);
    assert(mkdir("d/folder", 0700) == 0);
    assert(count("d") == 8);
    const char *names[] = {".", "one", "three", "other", "link", "fifo", "folder"};
    for (int i = 0; i < 7; i++)
        assert(times("d", names[i]) == 1);
}

// A folder of the program's own.
static void own(void) {
    assert(mkdir("own", 0700) == 0 && count("own") == 2 && times("own", ".") == 1 && times("own", "..") == 1);
    make("own/a");
    assert(mkdir("own/b", 0700) == 0 && count("own") == 4 && times("own", "a") == 1 && times("own", "b") == 1);
    assert(times("own/b", "..") == 1 && times(".", "own") == 1);
    assert(rmdir("own") == -1 && errno == ENOTEMPTY);
    assert(unlink("own/a") == 0 && rmdir("own/b") == 0 && rmdir("own") == 0 && times(".", "own") == 0);
}

// One that is removed and made anew is empty.
static void again(void) {
    assert(unlink("d/one") == 0 && unlink("d/two") == 0 && rmdir("d") == 0);
    assert(opendir("d") == NULL && errno == ENOENT);
    assert(mkdir("d", 0700) == 0 && count("d") == 2);
    make("d/two");
    assert(count("d") == 3 && times("d", "two") == 1 && times("d", "one") == 0);
}

// Places in a stream: what is made shows after a return to the beginning at the latest.
static void places(void) {
    make("d/new");
    DIR *folder = opendir("d");
    char names[8][256];
    long at[8];
    int entries = 0;
    for (struct dirent *entry; at[entries] = telldir(folder), (entry = readdir(folder)) != NULL;)
        strcpy(names[entries++], entry->d_name);
    assert(entries == 5);
    for (int i = entries - 1; i >= 0; i--) {
        seekdir(folder, at[i]);
        assert(strcmp(readdir(folder)->d_name, names[i]) == 0);
    }
    assert(unlink("d/new") == 0);
    make("d/newer");
    rewinddir(folder);
    int seen = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL; seen++)
        assert(strcmp(entry->d_name, "new") != 0);
    assert(seen == 5);
    closedir(folder);
}

static int seen;

static int visit(const char *path, const struct stat *status, int flag) {
    seen += flag == FTW_F && S_ISREG(status->st_mode) && strcmp(path + strlen(path) - 3, "new") == 0;
    return 0;
}

static int is_shown(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

// All that lists: the system call by descriptor, scandir, glob and ftw.
static void each(void) {
    make("d/new");
    int descriptor = open("d", O_RDONLY | O_DIRECTORY);
    int duplicate = dup(descriptor);
    DIR *first = fdopendir(descriptor), *second = fdopendir(duplicate);
    int one = 0, two = 0;
    while (readdir(first) != NULL)
        one++;
    // Both are of one open description, whose entries have all been read.
    while (readdir(second) != NULL)
        two++;
    assert(one == 5 && two == 0);
    closedir(first);
    closedir(second);
    struct dirent **names;
    assert(scandir("d", &names, is_shown, alphasort) == 3);
    assert(strcmp(names[0]->d_name, "new") == 0 && strcmp(names[1]->d_name, "one") == 0);
    for (int i = 0; i < 3; i++)
        free(names[i]);
    free(names);
    glob_t found;
    assert(glob("d/n*", 0, NULL, &found) == 0 && found.gl_pathc == 1 && strcmp(found.gl_pathv[0], "d/new") == 0);
    globfree(&found);
    assert(ftw(".", visit, 8) == 0 && seen == 1);
}

static void *maker(void *arg) {
    make("d/new");
#ifdef REMOVES
    unlink("d/one");
#endif
    return arg;
}

// Whether the other thread's file is there is open until it was joined.
static int beside(void) {
    pthread_t other;
    pthread_create(&other, NULL, maker, NULL);
    int new = times("d", "new");
    assert(new == 0 || new == 1);
#ifdef EARLY
    assert(new == 1); // BUG: assertion
#endif
    pthread_join(other, NULL);
    assert(times("d", "new") == 1);
    return 0;
}

// Two that make files in one folder, and a third one that cleans it up.
static void *cleaner(void *arg) {
    struct dirent **names;
    int found = scandir("d", &names, is_shown, alphasort);
    for (int i = 0; i < found; i++) {
        char path[300];
        snprintf(path, sizeof path, "d/%s", names[i]->d_name);
        unlink(path);
        free(names[i]);
    }
    free(names);
    return arg;
}

static void cleaning(void) {
    pthread_t other, clean;
    pthread_create(&other, NULL, maker, NULL);
    pthread_create(&clean, NULL, cleaner, NULL);
    pthread_join(other, NULL);
#ifndef EARLY
    pthread_join(clean, NULL);
#endif
    int left = count("d");
#ifdef EARLY
    pthread_join(clean, NULL);
    assert(left <= 3); // BUG: assertion
#else
    assert(left == 2 || left == 3);
#endif
}

int main(void) {
    PROGRAM();
    return 0;
}
