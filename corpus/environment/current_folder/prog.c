// The current folder and the mask of new files are those of all threads: what a relative path is depends on the order.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int exists(const char *path) {
    return access(path, F_OK) == 0;
}

static void *thread(void *arg) {
#ifdef LOCKED
    pthread_mutex_lock(&lock);
#endif
#if defined(CHANGES) && defined(EARLY)
    assert(exists("inside")); // BUG: assertion(early)
#elif defined(CHANGES)
    assert(!exists("inside")); // BUG: assertion(late)
#elif defined(SHOWS)
    char folder[PATH_MAX];
    assert(getcwd(folder, sizeof folder) != NULL);
    assert(strcmp(strrchr(folder, '/'), "/made") != 0); // BUG: assertion(shown)
#elif defined(MASKS)
    struct stat status;
    int made = open("new", O_RDWR | O_CREAT, 0666);
    assert(fstat(made, &status) == 0);
    assert((status.st_mode & 0777) != 0600); // BUG: assertion(masked)
#elif defined(LOCKED)
    assert(chdir("made") == 0);
    assert(exists("inside"));
    assert(chdir("..") == 0);
#endif
#ifdef LOCKED
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

/* What each of the calls does, and when they fail. */
static void check(void) {
    char folder[PATH_MAX], before[PATH_MAX];
    assert(getcwd(before, sizeof before) != NULL);
    assert(chdir("missing") == -1 && errno == ENOENT);
    assert(chdir("made/inside") == -1 && errno == ENOTDIR);
    assert(fchdir(77) == -1 && errno == EBADF);
    int top = open(".", O_RDONLY | O_DIRECTORY), file = open("made/inside", O_RDONLY);
    assert(fchdir(file) == -1 && errno == ENOTDIR);
    assert(chdir("made") == 0 && exists("inside") && exists("../made"));
    assert(getcwd(folder, sizeof folder) != NULL);
    assert(strncmp(folder, before, strlen(before)) == 0 && strcmp(folder + strlen(before), "/made") == 0);
    assert(getcwd(folder, 3) == NULL && errno == ERANGE);
    assert(mkdir("deeper", 0700) == 0 && chdir("deeper") == 0 && !exists("inside") && exists("../inside"));
    assert(fchdir(top) == 0 && exists("made/deeper"));
    char *block = realpath("made/deeper/../inside", NULL);
    assert(block && strcmp(block + strlen(before), "/made/inside") == 0);
    free(block);
    assert(chdir("/") == 0 && getcwd(folder, sizeof folder) && strcmp(folder, "/") == 0);
    assert(fchdir(top) == 0);
    mode_t mask = umask(027);
    assert(umask(mask) == 027);
}

int main(void) {
    pthread_t other;
    mkdir("made", 0700);
    close(open("made/inside", O_RDWR | O_CREAT, 0600));
    check();
    pthread_create(&other, NULL, thread, NULL);
#ifdef LOCKED
    pthread_mutex_lock(&lock);
    assert(!exists("inside"));
    pthread_mutex_unlock(&lock);
#endif
#if defined(CHANGES) || defined(SHOWS)
    assert(chdir("made") == 0);
#elif defined(MASKS)
    umask(077);
#endif
    pthread_join(other, NULL);
    return 0;
}
