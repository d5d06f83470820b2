// State that the C library keeps for itself, one object for each purpose: two functions race if they use the same one,
// and one of them changes it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <wchar.h>

static void first(void) {
#if defined SHIFT_STATE
    mbrtowc(NULL, "a", 1, NULL); // BUG: data-race
#elif defined OWN_STATE
    mbrlen("a", 1, &(mbstate_t){0});
#elif defined TIME_ZONE
    setenv("TZ", "UTC+3", 1); // BUG: data-race
#elif defined CHARACTERS
    setlocale(LC_CTYPE, "C.UTF-8"); // BUG: data-race
#elif defined CONVENTIONS
    localeconv();
#elif defined QUERY
    setlocale(LC_ALL, NULL);
#elif defined TWO_RESULTS
    l64a(5);
#elif defined OWN_NAME
    char name[L_tmpnam];
    tmpnam(name);
#elif defined OWN_BUFFER
    inet_ntoa((struct in_addr){5});
#endif
}

static void second(void) {
#if defined TIME_ZONE
    time_t moment = 0;
    localtime(&moment); // BUG: data-race
#elif defined CHARACTERS
    int (*volatile is_letter)(int) = isalpha;
    is_letter('a'); // BUG: data-race
#elif defined CONVENTIONS || defined QUERY
    char text[16];
    snprintf(text, sizeof text, "%f", 1.5);
#elif defined TWO_RESULTS
    asctime(&(struct tm){.tm_mday = 1});
#else
    first();
#endif
}

static void *thread(void *argument) {
    first();
    return argument;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, thread, NULL);
    second();
    pthread_join(other, NULL);
    return 0;
}
