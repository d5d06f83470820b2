#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inspect.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long long word;
typedef unsigned half __attribute__((may_alias));
typedef unsigned __int128 two __attribute__((aligned(8), may_alias));

static __thread word ran;
/* Not in the functions, where their ends would be operations that the model does not have. */
static const struct timespec far = {2000000000, 0}, soon = {1, 0};

/* Macros, so that what they do has the line of the statement. */
static struct { int ends[2]; } pipes[8];
static __thread word piece[512];
static __thread struct pollfd polled[2];
#define open_pipe(ends, size, reads_try, writes_try) \
    (pipe(ends), fcntl((ends)[0], F_SETFL, (reads_try) ? O_NONBLOCK : 0), \
     fcntl((ends)[1], F_SETFL, (writes_try) ? O_NONBLOCK : 0), fcntl((ends)[0], F_SETPIPE_SZ, size))
#define put(end, value) (piece[0] = (value), write(end, piece, sizeof piece) == sizeof piece)
#define take(end) (read(end, piece, sizeof piece) == sizeof piece ? piece[0] + 1 : 0)
#define look(one, other, limit) \
    (polled[0] = (struct pollfd){.fd = one, .events = POLLIN}, polled[1] = (struct pollfd){.fd = other, .events = POLLIN}, \
     poll(polled, 2, limit), (polled[0].revents & POLLIN ? 1 : 0) + (polled[1].revents & POLLIN ? 2 : 0))
