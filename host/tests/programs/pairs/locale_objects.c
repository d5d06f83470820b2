/* The locale, in a program whose threads may have one of their own. */
#include "headers.h"

static locale_t utf8;
static char text[40];

static void begin(void) {
    utf8 = newlocale(LC_ALL_MASK, "C.UTF-8", 0);
}

static long end(void) {
    return MB_CUR_MAX;
}

static long codeset(locale_t locale) {
    return strlen(nl_langinfo_l(CODESET, locale));
}

#define CALLS(CALL) \
    CALL(setlocale(LC_ALL, "C.UTF-8") != 0) \
    CALL(setlocale(LC_CTYPE, "C.UTF-8") != 0) \
    CALL(setlocale(LC_ALL, 0) != 0) \
    CALL(MB_CUR_MAX) \
    CALL(uselocale(utf8) == LC_GLOBAL_LOCALE) \
    CALL(uselocale(LC_GLOBAL_LOCALE) == LC_GLOBAL_LOCALE) \
    CALL(uselocale(0) == LC_GLOBAL_LOCALE) \
    CALL(codeset(duplocale(uselocale(0)))) \
    CALL(codeset(duplocale(LC_GLOBAL_LOCALE))) \
    CALL(codeset(duplocale(utf8))) \
    CALL(strlen(nl_langinfo(CODESET))) \
    CALL(mblen("\xc3\xa4", 2)) \
    CALL(wctomb(text, 0xe4)) \
    CALL(btowc(0xe4)) \
    CALL(iswalpha(0xe4) != 0) \
    CALL(iswalpha_l(0xe4, utf8) != 0) \
    CALL(snprintf(text, sizeof text, "%ls", L"\xe4")) \
    CALL(localeconv()->decimal_point[0])

#include "driver.h"
