// A locale object that one thread frees while another one still prints by it.
#define _GNU_SOURCE
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static locale_t locale;

static void *use(void *argument) {
    char text[16];
#ifdef SETS
    uselocale(locale); // BUG: data-race
    snprintf(text, sizeof text, "%f", 1.5);
    uselocale(LC_GLOBAL_LOCALE);
#else
    strxfrm_l(text, "abc", sizeof text, locale); // BUG: data-race
#endif
    return argument;
}

int main(void) {
    pthread_t other;
    locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    pthread_create(&other, NULL, use, NULL);
#ifdef JOINS
    pthread_join(other, NULL);
    freelocale(locale);
#else
    freelocale(locale); // BUG: data-race
    pthread_join(other, NULL);
#endif
    return 0;
}
