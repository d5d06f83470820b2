// How much a function of the C library accesses: another thread looks at the last byte of it, or the block is one byte
// too small; and what is behind that byte is nobody's affair.
#define _GNU_SOURCE
#include <assert.h>
#include <getopt.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

static char text[8192];
static wchar_t wide[64];
static volatile char sink;
static struct random_data numbers;
static int flag;
static char *page;

static void library(void) {
#if defined WCTOMB
    wctomb(text, 0x20ac); // BUG: data-race
#elif defined MBSTOWCS
    mbstowcs(wide, "abcdef", 64); // BUG: data-race
#elif defined WCSRTOMBS
    const wchar_t *from = L"abcdef";
    mbstate_t state = {0};
    wcsrtombs(text, &from, 64, &state); // BUG: data-race
#elif defined STRXFRM
    strxfrm(text, "abcdef", 64); // BUG: data-race
#elif defined REALPATH
    realpath("/usr/share", text); // BUG: data-race
#elif defined MEMCCPY
    memccpy(text, "abcdef", 'f', 64); // BUG: data-race
#elif defined STRFROMD
    strfromd(text, 6, "%f", 1.5); // BUG: data-race
#elif defined SSCANF
    sscanf("abcde", "%s", text); // BUG: data-race
#elif defined SSCANF_WIDE
    sscanf("abcdef", "%6ls", wide); // BUG: data-race
#elif defined PRINTF_WIDE
    char to[16];
    snprintf(to, sizeof to, "%ls", wide);
#elif defined ATOI
    sink = atoi(text);
#elif defined STRTOD
    sink = strtod(text, 0) > 0;
#elif defined STRTOL
    sink = strtol(text, 0, 10);
#elif defined GETOPT_LONG
    char *arguments[] = {"program", "--flag", 0};
    struct option table[] = {{"other", 0, 0, 1}, {"flag", 0, &flag, 1}, {0, 0, 0, 0}};
    getopt_long(2, arguments, "x", table, 0); // BUG: data-race
#elif defined GETSUBOPT
    char *const names[] = {"abcde", "x", 0};
    char *option = text, *value;
    getsubopt(&option, names, &value); // BUG: data-race
#elif defined RANDOM_R
    int number;
    random_r(&numbers, &number); // BUG: data-race
#elif defined MAP_OVER
    mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0); // BUG: data-race
#elif defined SCANF_OTHER
    int first;
    sscanf("1", "%d %d", &first, (int *)text);
#elif defined ONE_CHARACTER
    mbstate_t state = {0};
    mbrtowc(0, text, 6, &state);
#elif defined SWAB
    char to[4];
    swab(text, to, -1);
#endif
}

static void *thread(void *argument) {
    library();
    return argument;
}

static void prepare(void) {
#if defined WCTOMB
    setlocale(LC_ALL, "C.UTF-8");
#elif defined ATOI
    strcpy(text, "\v\v\v12");
#elif defined STRTOD
    strcpy(text, "nan(1");
#elif defined STRTOL
    strcpy(text, "12345k");
#elif defined GETSUBOPT
    strcpy(text, "abcde,x");
#elif defined PRINTF_WIDE
    wcscpy(wide, L"abcde");
#elif defined ONE_CHARACTER
    strcpy(text, "abcdef");
#elif defined MAP_OVER
    page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#elif defined RANDOM_R
    initstate_r(1, text, 64, &numbers);
#endif
}

// The last byte of what `library` writes, or reads.
static void look(void) {
#if defined WCTOMB
    sink = text[2];
#elif defined MBSTOWCS || defined SSCANF_WIDE
    sink = wide[5];
#elif defined GETOPT_LONG
    sink = flag;
#elif defined RANDOM_R
    memset(text, 1, 64);
#elif defined MAP_OVER
    sink = page[4095];
#elif defined PRINTF_WIDE
    wide[4] = 'x'; // BUG: data-race
#elif defined ATOI || defined STRTOD
    text[4] = '1'; // BUG: data-race
#elif defined STRTOL
    text[6] = 'm';
#elif defined SCANF_OTHER || defined ONE_CHARACTER || defined SWAB
    text[3] = 'x';
#else
    sink = text[5];
#endif
}

#if defined SMALL
static void too_small(void) {
    char *block = malloc(2);
#if SMALL == 1
    memccpy(block, "abc", 0, 8); // BUG: heap-overflow
#elif SMALL == 2
    sscanf("abc", "%s", block); // BUG: heap-overflow
#elif SMALL == 3
    setlocale(LC_ALL, "C.UTF-8");
    wctomb(block, 0x20ac); // BUG: heap-overflow
#elif SMALL == 4
    memcpy(block, "1k", 2);
    sink = atoi(block);
#elif SMALL == 5
    block[0] = 'a';
    mbrtowc(0, block, 6, &(mbstate_t){0});
#endif
    free(block);
}
#endif

int main(void) {
    pthread_t other;
    prepare();
#if defined SMALL
    too_small();
#else
    pthread_create(&other, NULL, thread, NULL);
    look();
    pthread_join(other, NULL);
#endif
    return 0;
}
