// Results in memory that the C library keeps, and places it remembers: a later call writes where somebody reads.
#define _GNU_SOURCE
#include <ctype.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static time_t moment;
static char text[16] = "a b c d";
static char *line;
static size_t size;

static void *thread(void *arg) {
#if defined(TIME)
    gmtime(&moment); // BUG: data-race(write)
#elif defined(TOKEN)
    text[AT] = 'x'; // BUG: data-race(write)
#elif defined(LOCALE)
    setlocale(LC_ALL, "C"); // BUG: data-race(write)
#elif defined(LINE)
    char *copy = arg;
    return copy[0] == 'x' ? copy : NULL; // BUG: data-race(write)
#endif
    return arg;
}

int main(int argc, char **argv) {
    pthread_t other;
    void *arg = NULL;
    (void)argv, (void)moment, (void)text, (void)line, (void)size;
#if defined(TIME)
    struct tm *broken_down = gmtime(&moment);
#elif defined(TOKEN)
    strtok(text, " ");
#elif defined(LINE)
    FILE *file = fopen("lines", "r");
    if (getline(&line, &size, file) < 0)
        return 1;
    arg = line;
#endif
    pthread_create(&other, NULL, thread, arg);
#if defined(TIME)
    int year = broken_down->tm_year; // BUG: data-race(read)
    (void)year;
#elif defined(TOKEN)
    strtok(NULL, " ");
    strtok(NULL, " "); // BUG: data-race(read)
#elif defined(LOCALE)
    int letter = toupper('a' + argc); // BUG: data-race(read)
    (void)letter;
#elif defined(LINE)
    if (getline(&line, &size, file) < 0) // BUG: data-race(read)
        return 2;
#endif
    (void)argc;
    pthread_join(other, NULL);
    return 0;
}
