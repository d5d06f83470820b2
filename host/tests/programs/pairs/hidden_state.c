/* What functions of the C library keep from call to call. */
#include "headers.h"

static void *tree;
static int one = 1, two = 2;
static char text[] = "a,b,c";

static int compare(const void *left, const void *right) {
    return *(const int *)left - *(const int *)right;
}

static void begin(void) {
    strtok(text, ",");
    tsearch(&one, &tree, compare);
    hcreate(9);
}

static long end(void) {
    return 0;
}

static long user(struct passwd *entry) {
    return entry ? (long)entry->pw_uid : -1;
}

static long group(struct group *entry) {
    return entry ? (long)entry->gr_gid : -1;
}

static long found(const char *name, ACTION action) {
    ENTRY *entry = hsearch((ENTRY){(char *)name, (char *)name}, action);
    return entry != 0;
}

#define CALLS(CALL) \
    CALL(*strtok(0, ",")) \
    CALL(user(getpwent())) \
    CALL(setpwent(), 0) \
    CALL(endpwent(), 0) \
    CALL(user(getpwuid(0))) \
    CALL(group(getgrent())) \
    CALL(setgrent(), 0) \
    CALL(group(getgrgid(0))) \
    CALL(found("one", ENTER)) \
    CALL(found("one", FIND)) \
    CALL(tfind(&two, &tree, compare) != 0) \
    CALL(tsearch(&two, &tree, compare) != 0) \
    CALL(tdelete(&one, &tree, compare) != 0) \
    CALL(tfind(&one, &tree, compare) != 0) \
    CALL(mblen(0, 0)) \
    CALL(mbrlen("\xc3", 1, 0)) \
    CALL(mbrtowc(0, "\xa4", 1, 0)) \
    CALL(l64a(70000)[0]) \
    CALL(l64a(2)[0]) \
    CALL(ecvt(3.5, 3, &(int){0}, &(int){0})[0]) \
    CALL(getopt(2, (char *[]){"program", "-b", 0}, "b")) \
    CALL(optind) \
    CALL(opterr = 0) \
    CALL(strerror(5)[0])

#include "driver.h"
