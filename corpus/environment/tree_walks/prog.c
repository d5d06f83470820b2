// Walks over trees beside a thread that waits: which files nftw and ftw visit, in which order where a folder has one entry only, and
// with what they are called, as in the GNU C library.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char seen[512];
static const char *stop_at = "";
static int stop_with;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int note(const char *path, const struct stat *status, int kind, struct FTW *at) {
    char entry[64];
    int is_folder = kind != FTW_NS && S_ISDIR(status->st_mode);
    snprintf(entry, sizeof entry, "%s:%d%s@%d+%d ", path, kind, is_folder ? "/" : "", at->level, at->base);
    strcat(seen, entry);
    return strcmp(path, stop_at) == 0 ? stop_with : 0;
}

static int note_simply(const char *path, const struct stat *status, int kind) {
    char entry[64];
    snprintf(entry, sizeof entry, "%s:%d%s ", path, kind, kind != FTW_NS && S_ISDIR(status->st_mode) ? "/" : "");
    strcat(seen, entry);
    return strcmp(path, stop_at) == 0 ? stop_with : 0;
}

static void expect(int result, int wanted, const char *visits) {
    if (result != wanted || strcmp(seen, visits) != 0) {
        fprintf(stderr, "%d and \"%s\", not %d and \"%s\"\n", result, seen, wanted, visits);
        abort();
    }
    seen[0] = 0;
}

static void *waits(void *arg) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void walk_all(void) {
    expect(nftw("t", note, 8, FTW_PHYS), 0, "t:1/@0+0 t/a:1/@1+2 t/a/b:1/@2+4 t/a/b/f:0@3+6 ");
    expect(nftw("t", note, 8, FTW_PHYS | FTW_DEPTH), 0, "t/a/b/f:0@3+6 t/a/b:5/@2+4 t/a:5/@1+2 t:5/@0+0 ");
    expect(nftw("t/a//", note, 8, FTW_MOUNT), 0, "t/a:1/@0+2 t/a/b:1/@1+4 t/a/b/f:0@2+6 ");
    expect(nftw("t/a/b/f", note, 1, 0), 0, "t/a/b/f:0@0+6 ");
    expect(ftw("t", note_simply, 8), 0, "t:1/ t/a:1/ t/a/b:1/ t/a/b/f:0 ");
    // Links: to a folder, to itself, to nothing.
    expect(nftw("l", note, 8, FTW_PHYS), 0, "l:1/@0+0 l/x:4@1+2 ");
    expect(nftw("l", note, 8, 0), 0, "l:1/@0+0 l/x:1/@1+2 l/x/f:0@2+4 ");
    expect(nftw("l/x", note, 8, FTW_PHYS), 0, "l/x:4@0+2 ");
    expect(nftw("round", note, 8, 0), 0, "round:1/@0+0 ");
    expect(nftw("gone", note, 8, 0), 0, "gone:1/@0+0 gone/g:6@1+5 ");
    expect(nftw("gone/g", note, 8, 0), 0, "gone/g:6@0+5 ");
    expect(ftw("gone", note_simply, 8), 0, "gone:1/ gone/g:3 ");
    expect(nftw("gone", note, 8, FTW_PHYS), 0, "gone:1/@0+0 gone/g:4@1+5 ");
    // What the function answers.
    stop_at = "t/a", stop_with = 7;
    expect(nftw("t", note, 8, 0), 7, "t:1/@0+0 t/a:1/@1+2 ");
    expect(ftw("t", note_simply, 8), 7, "t:1/ t/a:1/ ");
    stop_with = FTW_SKIP_SUBTREE;
    expect(nftw("t", note, 8, FTW_ACTIONRETVAL), 0, "t:1/@0+0 t/a:1/@1+2 ");
    stop_with = FTW_SKIP_SIBLINGS;
    expect(nftw("t", note, 8, FTW_ACTIONRETVAL), 0, "t:1/@0+0 t/a:1/@1+2 ");
    stop_with = FTW_STOP;
    expect(nftw("t", note, 8, FTW_ACTIONRETVAL), FTW_STOP, "t:1/@0+0 t/a:1/@1+2 ");
    stop_at = "";
    // Errors.
    errno = 0;
    expect(nftw("none", note, 8, 0), -1, "");
    assert(errno == ENOENT);
    expect(ftw("", note_simply, 8), -1, "");
    assert(errno == ENOENT);
    expect(nftw("t/a/b/f/x", note, 8, 0), -1, "");
    assert(errno == ENOTDIR);
    expect(nftw("t", note, 8, 1 << 20), -1, "");
    assert(errno == EINVAL);
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, 0, waits, 0);
    walk_all();
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
