/* Memory that is mapped: three pages and a hole of one behind them. */
#include "headers.h"

#define PAGE 4096
#define ANONYMOUS (MAP_PRIVATE | MAP_ANONYMOUS)
#define BOTH (PROT_READ | PROT_WRITE)

static char *pages;
static int ends[2];

static void begin(void) {
    pages = mmap(0, 4 * PAGE, BOTH, ANONYMOUS, -1, 0);
    munmap(pages + 3 * PAGE, PAGE);
    memset(pages, 'a', 3 * PAGE);
    pipe2(ends, O_NONBLOCK);
}

/* Whether the byte can be read, and what it is. */
static long byte(int page) {
    char value;
    if (write(ends[1], pages + page * PAGE, 1) != 1)
        return 300;
    read(ends[0], &value, 1);
    return value;
}

/* Whether memory can be written to. */
static long writable(int page) {
    return getrlimit(RLIMIT_CORE, (struct rlimit *)(pages + page * PAGE + 64));
}

static long end(void) {
    long sum = 0;
    for (int page = 0; page < 4; page++)
        sum = (sum * 400 + byte(page)) * 2 + writable(page);
    return sum;
}

#define MAPPED(...) (mmap(__VA_ARGS__) == MAP_FAILED ? -1 : 0)
#define CALLS(CALL) \
    CALL(munmap(pages, PAGE)) \
    CALL(munmap(pages + PAGE, 2 * PAGE)) \
    CALL(mprotect(pages, PAGE, BOTH)) \
    CALL(mprotect(pages, 2 * PAGE, PROT_READ)) \
    CALL(mprotect(pages + 2 * PAGE, PAGE, PROT_NONE)) \
    CALL(mprotect(pages + 2 * PAGE, PAGE, BOTH)) \
    CALL(mprotect(pages + 3 * PAGE, PAGE, BOTH)) \
    CALL(mremap(pages, 3 * PAGE, PAGE, 0) != MAP_FAILED ? 0 : -1) \
    CALL(mremap(pages, 2 * PAGE, 3 * PAGE, MREMAP_MAYMOVE) != MAP_FAILED ? 0 : -1) \
    CALL(MAPPED(pages, PAGE, BOTH, ANONYMOUS | MAP_FIXED, -1, 0)) \
    CALL(MAPPED(pages + 2 * PAGE, 2 * PAGE, BOTH, ANONYMOUS | MAP_FIXED, -1, 0)) \
    CALL(MAPPED(pages + 3 * PAGE, PAGE, BOTH, ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0)) \
    CALL(MAPPED(pages, PAGE, BOTH, ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0)) \
    CALL(madvise(pages, PAGE, MADV_DONTNEED)) \
    CALL(madvise(pages, PAGE, MADV_WILLNEED)) \
    CALL(madvise(pages, PAGE, MADV_FREE)) \
    CALL(madvise(pages + 3 * PAGE, PAGE, MADV_DONTNEED)) \
    CALL(posix_madvise(pages, PAGE, POSIX_MADV_DONTNEED)) \
    CALL(mlock(pages, PAGE)) \
    CALL(mlock(pages + 3 * PAGE, PAGE)) \
    CALL(munlock(pages, PAGE)) \
    CALL(mlockall(MCL_CURRENT)) \
    CALL(munlockall()) \
    CALL(byte(0)) \
    CALL(byte(2)) \
    CALL(byte(3)) \
    CALL(pages[0]) \
    CALL(pages[2 * PAGE] = 'c')

#include "driver.h"
