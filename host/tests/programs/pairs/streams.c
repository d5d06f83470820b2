/* Streams. */
#include "headers.h"

static FILE *stream;
static char bytes[9];

static void begin(void) {
    stream = fopen("a", "r+");
}

static long end(void) {
    return 0;
}

static long place(void) {
    fpos_t at;
    return fgetpos(stream, &at);
}

#define CALLS(CALL) \
    CALL(fgetc(stream)) \
    CALL(ftell(stream)) \
    CALL(rewind(stream), 0) \
    CALL(fseek(stream, 2, SEEK_SET)) \
    CALL(fseek(stream, 0, SEEK_END)) \
    CALL(feof(stream)) \
    CALL(ferror(stream)) \
    CALL(clearerr(stream), 0) \
    CALL(fileno(stream)) \
    CALL(fputc('x', stream)) \
    CALL(fputs("xyz", stream)) \
    CALL(fprintf(stream, "%d", 12)) \
    CALL(fwrite("pq", 1, 2, stream)) \
    CALL(fflush(stream)) \
    CALL(fflush(0)) \
    CALL(fgets(bytes, 5, stream) ? bytes[0] : -1) \
    CALL(fread(bytes, 1, 4, stream)) \
    CALL(fread(bytes, 1, 9, stream)) \
    CALL(ungetc('u', stream)) \
    CALL(fscanf(stream, "%3s", bytes)) \
    CALL(setvbuf(stream, 0, _IONBF, 0)) \
    CALL(setvbuf(stream, 0, _IOLBF, 100)) \
    CALL(setlinebuf(stream), 0) \
    CALL(freopen("b", "r", stream) != 0) \
    CALL(fwide(stream, 1)) \
    CALL(fwide(stream, 0)) \
    CALL(fgetwc(stream)) \
    CALL(place()) \
    CALL(getc_unlocked(stream)) \
    CALL(__fpending(stream)) \
    CALL(__fbufsize(stream)) \
    CALL(__flbf(stream)) \
    CALL(__freadable(stream)) \
    CALL(__fwritable(stream)) \
    CALL(__freading(stream)) \
    CALL(__fwriting(stream)) \
    CALL(__fpurge(stream), 0) \
    CALL(__fsetlocking(stream, FSETLOCKING_BYCALLER)) \
    CALL(lseek(fileno(stream), 0, SEEK_CUR)) \
    CALL(getw(stream)) \
    CALL(fputs("text", stdout)) \
    CALL(fflush(stdout)) \
    CALL(__fpending(stdout)) \
    CALL(__fbufsize(stdout)) \
    CALL(setvbuf(stdout, 0, _IONBF, 0)) \
    CALL(fgetc(stdin)) \
    CALL(feof(stdin))

#include "driver.h"
