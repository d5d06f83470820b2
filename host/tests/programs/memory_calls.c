// Makes calls on memory, drawn from a seed, also with arguments that make no sense, and writes down what each of them
// returns. With a third argument it compares that with what another run has written to this file.
//
// Left out is what Inspect does not model: changes of memory that the program has not mapped itself, and advice that
// depends on the system's memory. What memory holds is compared where the program may read it.
//
// With LOCKS defined it locks memory, and makes no call of which what it does depends on whether memory is locked.
//
// Usage: memory_calls SEED NUMBER [RECORD]
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>

#include "drawn_calls.h"

enum { PAGE = 4096, PAGES = 8, BYTES = PAGE * PAGES };

// A place in memory, and what the program may do with its pages if it has mapped them itself.
struct area {
    const char *name;
    char *start;
    int is_mapped, rights[PAGES];
};

static struct area areas[6];
static char global[BYTES + PAGE] = {1};

static void result(const char *call, const struct area *area, long offset, unsigned long length, long argument, long result,
                   int error) {
    note("%s %s %+ld %#lx %#lx = %ld %s\n", call, area->name, offset, length, argument, result,
         error ? strerrorname_np(error) : "");
}

#define CALL(call) ((errno = 0), (got = (long)(call)), (error = got == -1 ? errno : 0))

static struct area *an_area(void) { return &ONE_OF(areas); }

static long an_offset(void) {
    static const long offsets[] = {0, 0, 0, 0, PAGE, PAGE, 3 * PAGE, 6 * PAGE, 1, 10, PAGE - 1, 5 * PAGE + 8};
    return ONE_OF(offsets);
}

static unsigned long a_length(void) {
    static const unsigned long usual[] = {1, 10, PAGE, PAGE, 2 * PAGE, PAGE + 1, 3 * PAGE - 1};
    static const unsigned long unusual[] = {0, BYTES, -1UL, -4096UL, -4097UL, 1UL << 63, 1UL << 62, 1UL << 47};
    return draw(3) ? ONE_OF(usual) : ONE_OF(unusual);
}

// Takes back the part of a range that is behind its area: what is there is known to nobody.
static void fit(long *offset, unsigned long *length) {
    if (*length <= BYTES && *offset + *length > BYTES) *offset %= PAGE, *length = 2 * PAGE;
}

// Whether all bytes of a range are in the pages of an area that the program has mapped itself.
static int is_own(const struct area *area, long offset, unsigned long length) {
    return area->is_mapped && length <= (unsigned long)(BYTES - offset);
}

static void note_contents(const struct area *area) {
    int sum = 0;
    for (int page = 0; page < PAGES; page++) {
        if (area->rights[page] & PROT_READ) sum = sum * 3 + area->start[page * PAGE + 5];
    }
    note("  %s holds %d\n", area->name, sum);
}

static void advise(void) {
    // WIPEONFORK, FREE and the like of memory that the program has not mapped are not modelled.
    static const int harmless[] = {MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTFORK, MADV_DOFORK,
                                   MADV_DONTDUMP, MADV_DODUMP, MADV_COLD, 999, -1, 5, 6, 7, 1 << 20, 26, 99};
    struct area *area = an_area();
    long offset = an_offset(), got;
    unsigned long length = a_length();
    int advice = ONE_OF(harmless), error;
    fit(&offset, &length);
    // Some mapping of the process refuses these.
    if (length > BYTES && (advice == MADV_DOFORK || advice == MADV_DODUMP || advice == MADV_COLD)) return;
#ifdef LOCKS
    if (advice == MADV_COLD) advice = MADV_NORMAL;
#else
    if (is_own(area, offset, length) && !draw(3)) advice = MADV_DONTNEED;
#endif
    if (draw(3)) {
        CALL(madvise(area->start + offset, length, advice));
        result("madvise", area, offset, length, advice, got, error);
    } else {
        got = posix_madvise(area->start + offset, length, advice);
        result("posix_madvise", area, offset, length, advice, got, (int)got);
    }
    if (area->is_mapped) note_contents(area);
}

#ifdef LOCKS
static void lock(void) {
    static const int ways[] = {MCL_CURRENT, MCL_FUTURE, MCL_CURRENT | MCL_ONFAULT, 0, MCL_ONFAULT, 8, -1};
    struct area *area = an_area();
    long offset = an_offset(), got;
    unsigned long length = a_length();
    int error, way = ONE_OF(ways);
    fit(&offset, &length);
    switch (draw(3)) {
    case 0: CALL(mlock(area->start + offset, length)), result("mlock", area, offset, length, 0, got, error); break;
    case 1: CALL(munlock(area->start + offset, length)), result("munlock", area, offset, length, 0, got, error); break;
    // What is mapped afterwards would be locked.
    default: CALL(mlockall(way)), result("mlockall", area, 0, 0, way, got, error), munlockall(); break;
    }
    munlockall();
}
#endif

static void ask(void) {
    static const int flags[] = {MS_ASYNC, MS_SYNC, MS_SYNC | MS_ASYNC, 0, 8, -1, MS_SYNC | MS_ASYNC | MS_INVALIDATE};
    static unsigned char pages[PAGES];
    struct area *area = an_area();
    long offset = an_offset(), got;
    unsigned long length = a_length();
    int error, flag = ONE_OF(flags);
    fit(&offset, &length);
    if (draw(3)) {
        CALL(msync(area->start + offset, length, flag));
        result("msync", area, offset, length, flag, got, error);
    } else if (offset % PAGE || length == 0 || length > BYTES || area == &areas[4]) {
        CALL(mincore(area->start + offset, length, pages));
        result("mincore", area, offset, length, 0, got, error);
    }
}

static void protect(void) {
    static const int rights[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC, 77777,
                                 PROT_GROWSDOWN | PROT_GROWSUP};
    struct area *area = an_area();
    long offset = an_offset(), got;
    unsigned long length = a_length();
    int error, wanted = ONE_OF(rights);
    fit(&offset, &length);
    int is_refused = offset % PAGE || length == 0 || length > -(1UL << 47) || area == &areas[4] || wanted > 7;
    if (!is_own(area, offset, length) && !is_refused) return;
    if (!area->is_mapped && wanted > 7 && area != &areas[4]) return;
    CALL(mprotect(area->start + offset, length, wanted));
    result("mprotect", area, offset, length, wanted, got, error);
    // Where it failed for a page that is not mapped, it has changed those before.
    if (!is_refused) {
        for (int page = (int)offset / PAGE; page * PAGE < offset + (long)length; page++)
            area->rights[page] = got == 0 ? wanted : PROT_NONE;
    }
}

static void map(void) {
    static const int kinds[] = {MAP_PRIVATE | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS, MAP_ANONYMOUS, MAP_PRIVATE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE};
    struct area *area = &areas[draw(2)];
    unsigned long length = a_length();
    long offset = an_offset(), got;
    int kind = ONE_OF(kinds), error;
    fit(&offset, &length);
    if (length <= BYTES && length && offset % PAGE == 0 && kind & (MAP_FIXED | MAP_FIXED_NOREPLACE)) {
        if (!is_own(area, offset, length)) return;
        CALL(mmap(area->start + offset, length, PROT_READ | PROT_WRITE, kind, -1, 0));
        result("mmap", area, offset, length, kind, got == -1 ? -1 : got - (long)area->start, error);
        if (got != -1) {
            for (int page = (int)offset / PAGE; page * PAGE < offset + (long)length; page++) area->rights[page] = PROT_READ | PROT_WRITE;
        }
        return;
    }
    kind &= ~(MAP_FIXED | MAP_FIXED_NOREPLACE);
    // As much as the system has.
    if (length == 1UL << 47) return;
    CALL(mmap(0, length, PROT_READ | PROT_WRITE, kind, -1, draw(4) ? 0 : 10));
    result("mmap", area, 0, length, kind, got == -1 ? -1 : 0, error);
    if (got != -1) munmap((void *)got, length);
}

static void unmap(void) {
    struct area *area = an_area();
    long offset = an_offset(), got;
    unsigned long length = a_length();
    int error;
    fit(&offset, &length);
    if (is_own(area, offset, length) && draw(4)) return;
    if (!is_own(area, offset, length) && !(offset % PAGE || length == 0 || length > 1UL << 47)) return;
    CALL(munmap(area->start + offset, length));
    result("munmap", area, offset, length, 0, got, error);
    if (got == 0) {
        for (int page = (int)offset / PAGE; page * PAGE < offset + (long)length; page++) area->rights[page] = PROT_NONE;
    }
}

#ifndef LOCKS
static void remap(void) {
    static const int flags[] = {0, MREMAP_MAYMOVE, 8, -1, MREMAP_FIXED};
    struct area *area = &areas[draw(2)];
    int flag = ONE_OF(flags), error;
    long got, offset = draw(2) ? PAGE : 1;
    // It would move, or shrink; only what fails is drawn.
    unsigned long length = offset == PAGE && (flag == 0 || flag == MREMAP_MAYMOVE) ? 0 : PAGE;
    CALL(mremap(area->start + offset, PAGE, length, flag));
    result("mremap", area, offset, length, flag, got, error);
}
#endif

static struct area mapped(const char *name, int kind, int file) {
    struct area area = {name, mmap(0, BYTES, PROT_READ | PROT_WRITE, kind, file, 0), 1};
    for (int page = 0; page < PAGES; page++) {
        area.rights[page] = PROT_READ | PROT_WRITE;
        area.start[page * PAGE + 5] = (char)(page + 1);
    }
    return area;
}

static char *page_in(char *memory) { return (char *)(((uintptr_t)memory + PAGE - 1) & -(uintptr_t)PAGE); }

int main(int count, char **arguments) {
    char local[BYTES + PAGE];
    begin(count, arguments);
    memset(local, 1, sizeof local);
    char *block = malloc(BYTES + PAGE);
    memset(block, 1, BYTES + PAGE);
    areas[0] = mapped("private", MAP_PRIVATE | MAP_ANONYMOUS, -1);
    areas[1] = mapped("shared", MAP_SHARED | MAP_ANONYMOUS, -1);
    areas[2] = (struct area){"global", page_in(global)};
    areas[3] = (struct area){"block", page_in(block)};
    areas[4] = (struct area){"nothing", (char *)0x10000};
    areas[5] = (struct area){"local", page_in(local)};
    static void (*const calls[])(void) = {advise, advise, advise, advise, ask, ask, protect, map, unmap,
#ifdef LOCKS
        lock, lock,
#else
        remap,
#endif
    };
    for (int left = atoi(arguments[2]); left > 0; left--) ONE_OF(calls)();
    fflush(stdout);
    _exit(0);
}
