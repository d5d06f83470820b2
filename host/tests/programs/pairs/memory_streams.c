/* Streams of memory. */
#include "headers.h"

static FILE *growing, *fixed;
static char *text;
static size_t length;
static char bytes[20] = "abcdef";

static void begin(void) {
    growing = open_memstream(&text, &length);
    fputs("begin", growing);
    fflush(growing);
    fixed = fmemopen(bytes, sizeof bytes, "r+");
}

static long end(void) {
    fflush(growing);
    return length * 1000 + strlen(text) * 10 + ftell(fixed);
}

#define CALLS(CALL) \
    CALL(fputs("more", growing)) \
    CALL(fflush(growing)) \
    CALL(ftell(growing)) \
    CALL(fseek(growing, 2, SEEK_SET)) \
    CALL(rewind(growing), 0) \
    CALL(length) \
    CALL(text[0]) \
    CALL(fgetc(fixed)) \
    CALL(fputc('x', fixed)) \
    CALL(fflush(fixed)) \
    CALL(ftell(fixed)) \
    CALL(fseek(fixed, 3, SEEK_SET)) \
    CALL(feof(fixed)) \
    CALL(bytes[0])

#include "driver.h"
