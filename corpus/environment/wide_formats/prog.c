// Formats of wide characters, and formats whose arguments have numbers: what they read and write, beside another thread.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

static char name[8] = "abc";
static wchar_t wide[8] = L"xyz";
static wchar_t made[32];
static char text[32];
static int number;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int print(wchar_t *to, size_t size, const wchar_t *format, ...) {
    va_list list;
    va_start(list, format);
    int len = vswprintf(to, size, format, list);
    va_end(list);
    return len;
}

static void *thread(void *arg) {
#ifdef LOCKED
    pthread_mutex_lock(&lock);
#endif
#if defined(READS)
    name[2] = 'd'; // BUG: data-race(write)
#elif defined(READS_WIDE)
    wide[1] = L'u'; // BUG: data-race(write)
#elif defined(WRITES)
    made[2] = L'q'; // BUG: data-race(write)
#elif defined(BEHIND)
    made[5] = L'q';
#elif defined(NUMBERED)
    name[2] = 'd'; // BUG: data-race(write)
#elif defined(NOT_READ)
    name[2] = 'd';
#elif defined(SCANS)
    number = 1; // BUG: data-race(write)
#endif
#ifdef LOCKED
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, thread, NULL);
#ifdef LOCKED
    pthread_mutex_lock(&lock);
#endif
#if defined(READS)
    assert(swprintf(made, 32, L"%s and %d", name, 5) == 9); // BUG: data-race(read)
#elif defined(READS_WIDE)
    assert(print(made, 32, L"%2$ls, %1$d", 5, wide) == 6); // BUG: data-race(read)
#elif defined(WRITES)
    assert(swprintf(made, 32, L"%.2s", name) == 2); // BUG: data-race(write)
#elif defined(BEHIND)
    // Two characters and the one that ends the string.
    assert(swprintf(made, 32, L"%.2s", name) == 2);
#elif defined(NUMBERED)
    assert(snprintf(text, sizeof text, "%3$s %1$d %2$.1f", 7, 2.5, name) == 9); // BUG: data-race(read)
#elif defined(NOT_READ)
    assert(snprintf(text, sizeof text, "%3$.*1$s|%2$.1f", 2, 2.5, name) == 6);
    assert(strcmp(text, "ab|2.5") == 0);
#elif defined(SCANS)
    assert(sscanf("4 5", "%2$d %1$d", &(int){0}, &number) == 2); // BUG: data-race(write)
#else
    wchar_t word[8];
    assert(swprintf(made, 4, L"%d", 123456) == -1);
    assert(swprintf(made, 32, L"%1$s%1$s", name) == 6 && wcscmp(made, L"abcabc") == 0);
    assert(swscanf(L"7 word", L"%d %7ls", &number, word) == 2 && number == 7 && wcscmp(word, L"word") == 0);
    assert(wprintf(L"%ls\n", wide) == 4);
#endif
#ifdef LOCKED
    pthread_mutex_unlock(&lock);
#endif
    pthread_join(other, NULL);
    return 0;
}
