/* Environment variables and the time zone, which is taken from them. */
#include "headers.h"

static char *vector[] = {"ONE=else", 0};

static void begin(void) {
    setenv("TZ", "UTC0", 1);
    tzset();
    setenv("ONE", "x", 1);
    setenv("TZ", "EST5", 1);
}

static long end(void) {
    const char *one = getenv("ONE");
    return one ? strlen(one) : 0;
}

static long length(const char *text) {
    return text ? strlen(text) : 99;
}

static long hour(void) {
    struct tm parts;
    return localtime_r(&(time_t){0}, &parts)->tm_hour;
}

#define CALLS(CALL) \
    CALL(length(getenv("ONE"))) \
    CALL(length(secure_getenv("ONE"))) \
    CALL(setenv("ONE", "four", 1)) \
    CALL(setenv("ONE", "four", 0)) \
    CALL(unsetenv("ONE")) \
    CALL(clearenv()) \
    CALL(putenv("ONE=seven")) \
    CALL((environ = vector) != 0) \
    CALL(environ != 0) \
    CALL(setenv("TZ", "CET-1", 1)) \
    CALL(tzset(), 0) \
    CALL(hour()) \
    CALL(localtime(&(time_t){0})->tm_hour) \
    CALL(gmtime(&(time_t){3600})->tm_hour) \
    CALL(mktime(&(struct tm){.tm_year = 100})) \
    CALL(timezone) \
    CALL(length(tzname[0])) \
    CALL(ctime(&(time_t){0})[12]) \
    CALL(asctime(&(struct tm){0})[12])

#include "driver.h"
