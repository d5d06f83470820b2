// What programs of drawn calls have in common: numbers drawn from a seed, and the record of what the calls return.
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t state;
static char expected[1 << 17], *next_expected;

static unsigned draw(unsigned below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

#define ONE_OF(list) list[draw(sizeof list / sizeof *list)]

static void note(const char *format, ...) {
    static char line[4096];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (!next_expected) {
        fputs(line, stdout);
    } else if (strncmp(line, next_expected, strlen(line)) != 0) {
        fprintf(stderr, "here: %snatively: %.*s\n", line, (int)strcspn(next_expected, "\n"), next_expected);
        abort();
    } else {
        next_expected += strlen(line);
    }
}

// Takes the seed and the record from the arguments: SEED NUMBER [RECORD]
static void begin(int count, char **arguments) {
    if (count < 3) _exit(2);
    state = strtoul(arguments[1], 0, 10) * 2654435761u + 12345;
    if (count == 3) return;
    int record = open(arguments[3], O_RDONLY);
    if (record < 0 || read(record, expected, sizeof expected - 1) < 0) _exit(2);
    close(record);
    next_expected = expected;
}
