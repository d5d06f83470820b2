/* The time zone, which calls take from the environment or keep. */
#include "headers.h"

static char text[40];

static void begin(void) {
    setenv("TZ", "UTC0", 1);
    tzset();
    setenv("TZ", "EST5", 1);
}

static long end(void) {
    return 0;
}

static long hour(void) {
    struct tm parts;
    return localtime_r(&(time_t){0}, &parts)->tm_hour;
}

static long hour_in_text(void) {
    return ctime_r(&(time_t){0}, text)[12];
}

static long zone(void) {
    struct tm parts;
    localtime_r(&(time_t){0}, &parts);
    strftime(text, sizeof text, "%Z", &parts);
    return text[0];
}

#define CALLS(CALL) \
    CALL(tzset(), 0) \
    CALL(hour()) \
    CALL(localtime(&(time_t){0})->tm_hour) \
    CALL(mktime(&(struct tm){.tm_year = 100})) \
    CALL(timelocal(&(struct tm){.tm_year = 100})) \
    CALL(timegm(&(struct tm){.tm_year = 100})) \
    CALL(timezone) \
    CALL(tzname[0][0]) \
    CALL(hour_in_text()) \
    CALL(zone()) \
    CALL(strftime(text, sizeof text, "%s", &(struct tm){.tm_year = 100}))

#include "driver.h"
