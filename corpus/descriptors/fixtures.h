// What the programs of this topic have in common: descriptors, and what calls on them are given.
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static int fd, other, client, ends[2], pair[2];
static char text[4096], large[4096], more[16];
static struct iovec piece = {text, 6};
static struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
static struct sockaddr_un name = {AF_UNIX, "socket"};
static void *const address = &name;
static socklen_t size = sizeof name;
static struct stat status;
static struct statx extended;
static struct epoll_event event = {.events = EPOLLIN};
static struct pollfd watched = {.events = POLLIN};
static struct timespec no_time, wrong_time = {.tv_nsec = -1};
static struct timeval none;
static fd_set set;
static struct itimerspec later = {.it_value.tv_sec = 60}, left;
static struct dirent first = {.d_name = "a"}, second = {.d_name = "b"};
static const struct dirent *names[] = {&first, &second};
static struct dirent **list;
static DIR *folder;
static FILE *stream;
static char *page, *line;
static size_t room;
static sigset_t signals;
static int option = 1, visited;
static eventfd_t count;
static struct flock all = {.l_type = F_WRLCK};

// A socket that listens at the address.
static inline int listens(void) {
    int found = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(bind(found, address, size) == 0 && listen(found, 4) == 0);
    return found;
}

// A socket that is connected with it.
static inline int connects(void) {
    int found = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(connect(found, address, size) == 0);
    return found;
}

// PRINT with arguments as a list.
static inline int prints(int (*print)(int, const char *, va_list), int descriptor, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int result = print(descriptor, format, arguments);
    va_end(arguments);
    return result;
}

// What ftw and nftw call: how many files there are is in `visited`.
static inline int visit(const char *path, const struct stat *found, int kind) {
    (void)path, (void)found, (void)kind;
    visited++;
    return 0;
}

static inline int visit_at(const char *path, const struct stat *found, int kind, struct FTW *at) {
    (void)at;
    return visit(path, found, kind);
}

// Sends until there is no room.
static inline void fill(int socket) {
    while (send(socket, text, sizeof text, MSG_DONTWAIT) > 0) {}
}

// Reads until nothing is left.
static inline void drain(int socket) {
    while (recv(socket, large, sizeof large, MSG_DONTWAIT) > 0) {}
}

// Not every program uses everything.
static inline void use_all(void) {
    (void)ends, (void)pair, (void)client, (void)more, (void)piece, (void)message, (void)status, (void)extended;
    (void)event, (void)watched, (void)no_time, (void)later, (void)left, (void)names, (void)list, (void)folder;
    (void)stream, (void)page, (void)line, (void)room, (void)signals, (void)option, (void)other, (void)text;
    (void)large, (void)wrong_time, (void)none, (void)set, (void)count, (void)all, (void)status, (void)size;
}
