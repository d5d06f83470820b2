// A converter is used by one thread at a time; the library protects its table of them.
#include <assert.h>
#include <iconv.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static iconv_t common;
static char *room;

static void *converter(void *argument) {
    iconv_t own = iconv_open("UTF-16LE", "UTF-8");
    char text[] = "ab", made[8], *from = text, *to = made;
    size_t left = 2, space = sizeof made;
#ifdef RACE
    iconv(common, &from, &left, &to, &space); // BUG: data-race(common)
#else
    iconv(own, &from, &left, &to, &space);
    assert(left == 0 && memcmp(made, "a\0b\0", 4) == 0);
#endif
    iconv_close(own);
    return argument;
}

int main(void) {
    pthread_t thread;
    common = iconv_open("UTF-16LE", "UTF-8");
    pthread_create(&thread, NULL, converter, NULL);
    converter(NULL);
    pthread_join(thread, NULL);
#ifdef SMALL
    room = malloc(2);
    char text[] = "ab", *from = text, *to = room;
    size_t left = 2, space = 4;
    iconv(common, &from, &left, &to, &space); // BUG: heap-overflow
#endif
    iconv_close(common);
#ifdef GONE
    char *none = NULL;
    size_t nothing = 0;
    iconv(common, &none, &nothing, &none, &nothing); // BUG: heap-use-after-free
#endif
    return 0;
}
