// Makes calls on files and descriptors, drawn from a seed, on a handful of names in the current folder, and writes down
// what each of them returns. With a third argument it compares that with what another run has written to this file:
// the first line that differs goes to standard error, and the program aborts.
//
// Usage: file_calls SEED NUMBER [RECORD]
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "drawn_calls.h"

enum { NUMBERS = 8, STREAMS = 3 };

static int numbers[NUMBERS];
static FILE *streams[STREAMS];
static DIR *folder;

static const char *a_name(void) {
    static const char *names[] = {
        "a", "b", "h", "l", "x", "d", "d/f", "e", "dl", "n", "new", "d/n", "loop", "s",
        "a", "b", "h", "l", "x", "d/f", "n", "new", "e/m", "dl/f", "dl/n",
    };
    static const char *unusual[] = {
        "a/", "d/", "n/", "l/", "dl/", "x/", "dl/.", "d/../a", "a/..", "a/z", "n/z", ".", "..", "d/.", "d/..", "",
        "./a", "d//f", "loop/z", "x/z", "l/z", "e/", "/", "e/../b", "dl/../n",
    };
    return draw(5) ? ONE_OF(names) : ONE_OF(unusual);
}

static int a_number(void) {
    static const int unusual[] = {-1, 99, 20, 1000000, -100};
    return draw(24) ? numbers[draw(NUMBERS)] : ONE_OF(unusual);
}

static void keep(int number) {
    if (number < 0) return;
    int *place = &numbers[draw(NUMBERS)];
    if (*place > 2) close(*place);
    *place = number;
}

static void result(const char *call, const char *name, long a, long b, long result) {
    note("%s %s %ld %#lx = %ld %s\n", call, name, a, b, result, result == -1 ? strerrorname_np(errno) : "");
}

// Numbers of files are given again once a file is gone, so they are compared at one moment only.
static int is_same(const struct stat *one, const struct stat *other) {
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

static void note_status(const struct stat *stat) {
    if (S_ISREG(stat->st_mode) || S_ISLNK(stat->st_mode)) {
        long set = stat->st_mtime < 1000000 ? (long)stat->st_mtime : -1;
        note("  mode %o links %ld size %ld set %ld\n", stat->st_mode, (long)stat->st_nlink, (long)stat->st_size, set);
    } else if (S_ISDIR(stat->st_mode)) {
        note("  mode %o links %ld\n", stat->st_mode, (long)stat->st_nlink);
    } else {
        note("  type %o\n", stat->st_mode & S_IFMT);
    }
}

static int is_of_pipe(int number) {
    struct stat stat;
    return fstat(number, &stat) == 0 && !S_ISREG(stat.st_mode) && !S_ISDIR(stat.st_mode);
}

static void note_data(const char *data, long size) {
    if (size > 0) note("  data %.*s\n", (int)(size < 64 ? size : 64), data);
}

static void open_one(void) {
    static const int modes[] = {O_RDONLY, O_RDONLY, O_WRONLY, O_RDWR, O_RDWR, O_RDWR};
    static const int more[] = {O_CREAT, O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_NOFOLLOW, O_DIRECTORY, O_CLOEXEC, O_NONBLOCK};
    int flags = ONE_OF(modes);
    for (unsigned times = draw(4); times > 0; times--) flags |= ONE_OF(more);
    // What O_EXCL does without O_CREAT is not defined.
    if (!(flags & O_CREAT)) flags &= ~O_EXCL;
    static const int permissions[] = {0644, 0600, 0755, 0444, 0777};
    const char *name = a_name();
    struct stat before, after;
    int was_there = stat(name, &before) == 0, mode = ONE_OF(permissions), number = open(name, flags, mode);
    result("open", name, mode, flags, number);
    if (number >= 0) {
        if (was_there && fstat(number, &after) == 0) note("  same %d\n", is_same(&before, &after));
        result("  F_GETFL", "", number, 0, fcntl(number, F_GETFL));
        result("  F_GETFD", "", number, 0, fcntl(number, F_GETFD));
    }
    keep(number);
}

static void read_one(void) {
    char data[64] = "";
    int number = a_number();
    unsigned size = draw(3) ? draw(12) : 8;
    long got = read(number, data, size);
    result("read", "", number, size, got);
    if (got == 8 && is_of_pipe(number)) note("  %x\n", (unsigned char)data[0]);
    else note_data(data, got);
}

static void write_one(void) {
    static const char text[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    int number = a_number();
    unsigned size = draw(3) ? draw(10) : 8, from = draw(16);
    struct stat before, after;
    int is_there = fstat(number, &before) == 0 && S_ISREG(before.st_mode);
    result("write", "", number, size, write(number, text + from, size));
    if (is_there && fstat(number, &after) == 0) {
        long seconds = after.st_mtime - before.st_mtime, fraction = after.st_mtim.tv_nsec - before.st_mtim.tv_nsec;
        note("  later %d\n", seconds > 0 || (seconds == 0 && fraction >= 0));
    }
}

static void positioned(void) {
    char data[64] = "";
    int number = a_number();
    long at = (long)draw(20) - 1;
    if (draw(2)) {
        long got = pread(number, data, 8, at);
        result("pread", "", number, at, got);
        note_data(data, got);
    } else {
        result("pwrite", "", number, at, pwrite(number, "pwrite", 1 + draw(6), at));
    }
}

static void vectors(void) {
    char first[16] = "", second[16] = "";
    struct iovec pieces[2] = {{first, 1 + draw(8)}, {second, 1 + draw(8)}};
    if (!draw(3)) pieces[0].iov_len = 4, pieces[1].iov_len = 4;
    int number = a_number(), count = draw(6) ? 2 : (int)draw(3);
    if (draw(2)) {
        long got = readv(number, pieces, count);
        result("readv", "", number, (long)pieces[0].iov_len, got);
        if (!is_of_pipe(number)) note_data(first, got), note_data(second, got);
    } else {
        memcpy(first, "\1\0\0\0uvwxyz", 10), memcpy(second, "\0\0\0\0UVWXYZ", 10);
        if (!is_of_pipe(number)) memset(first, 'v', 8), memset(second, 'V', 8);
        result("writev", "", number, (long)pieces[0].iov_len, writev(number, pieces, count));
    }
}

static void seek_one(void) {
    static const int ways[] = {SEEK_SET, SEEK_CUR, SEEK_END};
    int number = a_number(), way = ONE_OF(ways);
    long offset = (long)draw(24) - 8;
    long to = lseek(number, offset, way);
    struct stat stat;
    if (fstat(number, &stat) == 0 && S_ISDIR(stat.st_mode)) return;
    result("lseek", way == SEEK_SET ? "set" : way == SEEK_CUR ? "cur" : "end", number, offset, to);
}

static void duplicate_one(void) {
    int number = a_number(), to = draw(4) ? (int)(3 + draw(16)) : a_number(), made = -1;
    if (to >= 0 && to <= 2) to = 5;
    switch (draw(5)) {
    case 0: result("dup", "", number, 0, made = dup(number)); break;
    case 1: result("dup2", "", number, to, made = dup2(number, to)); break;
    case 2: {
        int flags = draw(2) ? O_CLOEXEC : 0;
        result(flags ? "dup3 cloexec" : "dup3", "", number, to, made = dup3(number, to, flags));
        break;
    }
    case 3: result("F_DUPFD", "", number, to, made = fcntl(number, F_DUPFD, to)); break;
    case 4: result("F_DUPFD_CLOEXEC", "", number, to, made = fcntl(number, F_DUPFD_CLOEXEC, to)); break;
    }
    if (made >= 0) result("  F_GETFD", "", made, 0, fcntl(made, F_GETFD));
    if (made > 2) {
        for (int at = 0; at < NUMBERS; at++) {
            if (numbers[at] == made) return;
        }
        keep(made);
    }
}

static void control(void) {
    int number = a_number(), value = draw(2);
    static const int flags[] = {0, O_APPEND, O_NONBLOCK, O_APPEND | O_NONBLOCK};
    switch (draw(4)) {
    case 0: result("F_GETFD", "", number, 0, fcntl(number, F_GETFD)); break;
    case 1: result("F_SETFD", "", number, value, fcntl(number, F_SETFD, value)); break;
    case 2: result("F_GETFL", "", number, 0, number < 3 && number >= 0 ? 0 : fcntl(number, F_GETFL)); break;
    case 3:
        // Pipes and the like stay without waiting.
        value = ONE_OF(flags) | (is_of_pipe(number) ? O_NONBLOCK : 0);
        if (number < 3) break;
        result("F_SETFL", "", number, value, fcntl(number, F_SETFL, value));
        break;
    }
}

static void close_one(void) {
    int number = a_number();
    if (number >= 0 && number <= 2) return;
    result("close", "", number, 0, close(number));
}

static void status(void) {
    struct stat stat_, other;
    const char *name = a_name(), *second = a_name();
    int number, got;
    switch (draw(6)) {
    case 0: result("stat", name, 0, 0, got = stat(name, &stat_)); break;
    case 1: result("lstat", name, 0, 0, got = lstat(name, &stat_)); break;
    case 2: result("fstatat", name, 0, 0, got = fstatat(AT_FDCWD, name, &stat_, AT_SYMLINK_NOFOLLOW)); break;
    case 3:
        if (lstat(name, &stat_) == 0 && lstat(second, &other) == 0) note("same %s %s %d\n", name, second, is_same(&stat_, &other));
        return;
    case 4:
        number = a_number();
        if (stat(name, &stat_) == 0 && fstat(number, &other) == 0) note("same %s %d %d\n", name, number, is_same(&stat_, &other));
        return;
    default:
        number = a_number();
        if (number >= 0 && number <= 2) return;
        result("fstat", "", number, 0, got = fstat(number, &stat_));
    }
    if (got == 0) note_status(&stat_);
}

// Calls on a name in an open folder.
static void relative(void) {
    int folder = open(draw(2) ? "d" : "e", O_RDONLY | (draw(2) ? O_DIRECTORY : 0));
    if (draw(6) == 0) close(folder), folder = a_number();
    const char *name = draw(3) ? draw(2) ? "f" : "m" : a_name();
    struct stat stat_;
    int got, flags = draw(2) ? AT_SYMLINK_NOFOLLOW : 0;
    switch (draw(6)) {
    case 0:
        result("fstatat in", name, folder, flags, got = fstatat(folder, name, &stat_, flags));
        if (got == 0) note_status(&stat_);
        break;
    case 1: result("unlinkat", name, folder, 0, unlinkat(folder, name, 0)); break;
    case 2: result("faccessat", name, folder, 0, faccessat(folder, name, W_OK, 0)); break;
    case 3: result("renameat", name, folder, 0, renameat(AT_FDCWD, "a", folder, name)); break;
    case 4: result("linkat", name, folder, 0, linkat(folder, name, AT_FDCWD, a_name(), 0)); break;
    default:
        result("openat", name, folder, 0, got = openat(folder, name, O_RDWR | O_CREAT, 0640));
        if (got >= 0) keep(got);
    }
    if (folder > 2) close(folder);
}

static void look(void) {
    static const int ways[] = {F_OK, R_OK, W_OK, X_OK, R_OK | W_OK};
    const char *name = a_name();
    int way = ONE_OF(ways);
    if (draw(3)) {
        result("access", name, way, 0, access(name, way));
    } else {
        char target[64] = "";
        long length = readlink(name, target, sizeof target - 1);
        result("readlink", name, 0, 0, length);
        note_data(target, length);
    }
}

static void change_names(void) {
    const char *name = a_name(), *other = a_name();
    switch (draw(10)) {
    case 5: note("link %s %s\n", name, other), result("link", name, 0, 0, link(name, other)); break;
    case 6: note("symlink %s %s\n", name, other), result("symlink", name, 0, 0, symlink(name, other)); break;
    case 7: result("mkdir", name, 0, 0, mkdir(name, 0755)); break;
    case 8:
        // A folder that is in use is not removed.
        if (strcmp(name, "/") == 0) return;
        result("rmdir", name, 0, 0, rmdir(name));
        break;
    case 9: result("remove", name, 0, 0, remove(name)); break;
    case 0: case 1: result("unlink", name, 0, 0, unlink(name)); break;
    case 2: case 3: {
        // That a folder gets another name is not modelled.
        struct stat of_name, of_other;
        int is_folder = lstat(name, &of_name) == 0 && S_ISDIR(of_name.st_mode);
        if (is_folder && (lstat(other, &of_other) != 0 || S_ISDIR(of_other.st_mode)) && strcmp(name, other) != 0) return;
        note("rename %s %s\n", name, other);
        result("rename", name, 0, 0, rename(name, other));
        break;
    }
    case 4: {
        static const int modes[] = {0644, 0600, 0755, 0400, 0};
        int mode = ONE_OF(modes);
        // A folder with other permissions is not modelled.
        struct stat stat_;
        if (stat(name, &stat_) == 0 && !S_ISREG(stat_.st_mode)) return;
        result("chmod", name, mode, 0, chmod(name, mode));
    }
    }
}

static void change_size(void) {
    const char *name = a_name();
    int number = a_number();
    long size = (long)draw(24) - 1;
    if (draw(2)) result("truncate", name, size, 0, truncate(name, size));
    else result("ftruncate", "", number, size, ftruncate(number, size));
}

static void change_attributes(void) {
    int number = a_number();
    const char *name = a_name();
    struct timespec times[2] = {{draw(1000), 0}, {1000 + draw(1000), 0}};
    struct stat stat_;
    switch (draw(3)) {
    case 0:
        if (fstat(number, &stat_) == 0 && !S_ISREG(stat_.st_mode)) return;
        result("fchmod", "", number, 0640, fchmod(number, 0640));
        break;
    case 1:
        if (fstat(number, &stat_) == 0 && !S_ISREG(stat_.st_mode)) return;
        result("futimens", "", number, times[1].tv_sec, futimens(number, times));
        break;
    case 2:
        if (stat(name, &stat_) == 0 && !S_ISREG(stat_.st_mode)) return;
        result("utimensat", name, times[1].tv_sec, 0, utimensat(AT_FDCWD, name, times, 0));
        break;
    }
}

static void stream_one(void) {
    static const char *modes[] = {"r", "r", "w", "a", "r+", "w+", "a+", "wx", "re"};
    FILE **place = &streams[draw(STREAMS)];
    char data[32] = "";
    // The descriptor of the stream was closed, and its number given to a pipe: a stream of that is not modelled.
    if (*place && is_of_pipe(fileno(*place))) *place = 0;
    if (!*place) {
        const char *name = a_name(), *mode = ONE_OF(modes);
        note("fopen %s %s\n", name, mode);
        *place = fopen(name, mode);
        result("fopen", name, 0, 0, *place ? fileno(*place) : -1);
        return;
    }
    switch (draw(7)) {
    // Between reads and writes of a stream there has to be one of these.
    case 0: case 1: {
        fflush(*place);
        long got = fread(data, 1, 1 + draw(8), *place);
        note("fread %ld %d\n", got, ferror(*place) ? 1 : 0);
        note_data(data, got);
        clearerr(*place);
        break;
    }
    case 2: case 3: fseek(*place, 0, SEEK_CUR), note("fwrite %ld\n", (long)fwrite("stream", 1, 1 + draw(6), *place)); clearerr(*place); break;
    case 4: result("fflush", "", 0, 0, fflush(*place)); break;
    case 5: result("fseek", "", 0, 0, fseek(*place, draw(12), SEEK_SET)); result("ftell", "", 0, 0, ftell(*place)); break;
    case 6: result("fclose", "", 0, 0, fclose(*place)); *place = 0; break;
    }
}

static void make_channel(void) {
    int ends[2] = {-1, -1}, close_on_exec = (int)draw(2);
    const char *call = close_on_exec ? "cloexec" : "";
    switch (draw(3)) {
    case 0: result("pipe2", call, 0, 0, pipe2(ends, O_NONBLOCK | (close_on_exec ? O_CLOEXEC : 0))); break;
    case 1: result("eventfd", call, 0, 0, ends[0] = eventfd(draw(3), EFD_NONBLOCK | (close_on_exec ? EFD_CLOEXEC : 0))); break;
    case 2: {
        int type = SOCK_STREAM | SOCK_NONBLOCK | (close_on_exec ? SOCK_CLOEXEC : 0);
        result("socketpair", call, 0, 0, socketpair(AF_UNIX, type, 0, ends));
    }
    }
    for (int end = 0; end < 2; end++) {
        if (ends[end] < 0) continue;
        result("  F_GETFD", "", ends[end], 0, fcntl(ends[end], F_GETFD));
        result("  F_GETFL", "", ends[end], 0, fcntl(ends[end], F_GETFL));
    }
    keep(ends[0]), keep(ends[1]);
}

// Calls that say what is to be done with a range of a file, also with arguments that make no sense.
static void ranges(void) {
    static const long starts[] = {0, 0, 3, 100, -1, 1L << 62};
    static const long lengths[] = {0, 1, 10, 100, -1, 1L << 62};
    static const int advices[] = {0, 1, 2, 3, 4, 5, 6, 99, -1};
    static const int flags[] = {0, 1, 2, 4, 7, 8, -1};
    // Others depend on the file system.
    static const int modes[] = {0, 0, 1, 3, 2, 1 << 20, -1};
    long start = ONE_OF(starts), length = ONE_OF(lengths);
    int number = a_number(), advice = ONE_OF(advices), flag = ONE_OF(flags), mode = ONE_OF(modes);
    if (number >= 0 && number <= 2) return;
    switch (draw(6)) {
    case 0: note("fadvise %d %d %ld %ld = %d\n", number, advice, start, length, posix_fadvise(number, start, length, advice)); break;
    case 1:
        note("sync %d %ld\n", flag, length);
        result("sync_file_range", "", number, start, sync_file_range(number, start, length, flag));
        break;
    case 2: result("fsync", "", number, 0, fsync(number)); break;
    case 3: result("fdatasync", "", number, 0, fdatasync(number)); break;
    // What is too large for one file system is not for another one.
    case 4:
        if (start > 100 || length > 100) return;
        note("fallocate %d %ld\n", mode, length);
        result("fallocate", "", number, start, fallocate(number, mode, start, length));
        break;
    default:
        if (start > 100 || length > 100) return;
        note("posix_fallocate %d %ld %ld = %d\n", number, start, length, posix_fallocate(number, start, length));
    }
}

// Requests that a descriptor does not take, or not with these arguments.
static void requests(void) {
    static const int sizes[] = {-1, 0, 1, 4096, 70000, (int)0x80000001};
    static const int counts[] = {0, -1, 1024, 1025, 4096, 1 << 20};
    static const int locks[] = {0, 3, 4, 5 | 2, 16, 32, 99, 33, -1};
    struct timeval none = {0, 0};
    int number = a_number(), size = ONE_OF(sizes), count = ONE_OF(counts), lock = ONE_OF(locks);
    if (number >= 0 && number <= 2) return;
    switch (draw(3)) {
    case 0: result("F_SETPIPE_SZ", "", number, size, fcntl(number, F_SETPIPE_SZ, size)); break;
    case 1: result("select", "", count, 0, select(count, 0, 0, 0, &none)); break;
    default: result("flock", "", number, lock, flock(number, lock));
    }
}

static int by_name(const void *one, const void *other) {
    return strcmp((*(struct dirent **)one)->d_name, (*(struct dirent **)other)->d_name);
}

// Everything in a folder from the beginning on, in the order of the names: on which disk it is decides about their own.
static void note_entries(DIR *listed) {
    enum { MOST = 64 };
    struct dirent *entries[MOST], *entry;
    unsigned found = 0;
    rewinddir(listed);
    while ((entry = readdir(listed)) && found < MOST) {
        entries[found] = malloc(entry->d_reclen);
        memcpy(entries[found++], entry, entry->d_reclen);
    }
    qsort(entries, found, sizeof *entries, by_name);
    for (unsigned at = 0; at < found; at++) {
        struct stat stat;
        int is_there = fstatat(dirfd(listed), entries[at]->d_name, &stat, AT_SYMLINK_NOFOLLOW) == 0;
        int is_own = is_there && (entries[at]->d_ino == stat.st_ino) && entries[at]->d_type == IFTODT(stat.st_mode);
        note("  %s %d\n", entries[at]->d_name, is_own);
        free(entries[at]);
    }
    // Where the position is at the end of a folder, and whether a read of so many bytes from there fails for it, depends
    // on the file system.
    rewinddir(listed);
}

static void list_one(void) {
    if (folder && draw(2)) {
        note("list again\n");
        note_entries(folder);
        return;
    }
    if (folder) result("closedir", "", 0, 0, closedir(folder));
    if (draw(3)) {
        const char *name = a_name();
        folder = opendir(name);
        result("opendir", name, 0, 0, folder ? 0 : -1);
    } else {
        int number = dup(a_number());
        folder = fdopendir(number);
        result("fdopendir", "", number, 0, folder ? 0 : -1);
        if (!folder) close(number);
    }
    if (folder) note_entries(folder);
}

int main(int count, char **arguments) {
    begin(count, arguments);
    signal(SIGPIPE, SIG_IGN);
    umask(022);
    for (int at = 0; at < NUMBERS; at++) numbers[at] = -1;
    static void (*const calls[])(void) = {
        open_one, open_one, open_one, open_one, read_one, read_one, read_one, write_one, write_one, write_one, positioned,
        positioned, vectors, seek_one, duplicate_one, duplicate_one, control, control, close_one, status, status, status,
        look, relative, relative, change_names, change_names, change_size, change_attributes, ranges, ranges, requests, stream_one, stream_one, stream_one, make_channel,
        list_one, list_one,
    };
    for (int left = atoi(arguments[2]); left > 0; left--) ONE_OF(calls)();
    static const char *names[] = {"a", "b", "h", "l", "x", "d/f", "n", "new", "d/n", "e/m", "s"};
    for (unsigned at = 0; at < sizeof names / sizeof *names; at++) {
        struct stat stat_;
        char data[64] = "";
        int got = lstat(names[at], &stat_), number = open(names[at], O_RDONLY | O_NONBLOCK);
        result("at the end", names[at], 0, 0, got);
        if (got == 0) note_status(&stat_);
        note_data(data, read(number, data, sizeof data));
        close(number);
    }
    fflush(stdout);
    _exit(0);
}
