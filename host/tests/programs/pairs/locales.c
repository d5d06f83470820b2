/* The locale of the process. */
#include "headers.h"

static wchar_t wide[9];
static char text[40];

static void begin(void) {
}

static long end(void) {
    const char *name = setlocale(LC_ALL, 0);
    return strlen(name) * 1000 + name[0];
}

/* The number of characters of the codeset's name, which is ANSI_X3.4-1968 or UTF-8. */
static long codeset(locale_t locale) {
    return strlen(nl_langinfo_l(CODESET, locale));
}

static long name_of(int category) {
    const char *name = setlocale(category, 0);
    return strlen(name);
}

#define CALLS(CALL) \
    CALL(setlocale(LC_ALL, "C.UTF-8") != 0) \
    CALL(setlocale(LC_CTYPE, "C.UTF-8") != 0) \
    CALL(setlocale(LC_NUMERIC, "C.UTF-8") != 0) \
    CALL(setlocale(LC_ALL, "C") != 0) \
    CALL(setlocale(LC_ALL, "") != 0) \
    CALL(name_of(LC_ALL)) \
    CALL(name_of(LC_CTYPE)) \
    CALL(MB_CUR_MAX) \
    CALL(codeset(duplocale(LC_GLOBAL_LOCALE))) \
    CALL(codeset(newlocale(LC_CTYPE_MASK, "C.UTF-8", 0))) \
    CALL(codeset(newlocale(LC_NUMERIC_MASK, "C", duplocale(LC_GLOBAL_LOCALE)))) \
    CALL(strlen(nl_langinfo(CODESET))) \
    CALL(mblen("\xc3\xa4", 2)) \
    CALL(mbtowc(wide, "\xc3\xa4", 2)) \
    CALL(mbrtowc(wide, "\xc3\xa4", 2, &(mbstate_t){0})) \
    CALL(mbrlen("\xc3\xa4", 2, &(mbstate_t){0})) \
    CALL(mbstowcs(wide, "\xc3\xa4", 9)) \
    CALL(mbsrtowcs(wide, &(const char *){"\xc3\xa4"}, 9, &(mbstate_t){0})) \
    CALL(wcstombs(text, L"\xe4", 9)) \
    CALL(wcrtomb(text, 0xe4, &(mbstate_t){0})) \
    CALL(wctomb(text, 0xe4)) \
    CALL(btowc(0xe4)) \
    CALL(wctob(0xe4)) \
    CALL(wctype("alpha") != 0) \
    CALL(iswalpha(0xe4) != 0) \
    CALL(towupper(0xe4)) \
    CALL(isalpha('a') != 0) \
    CALL(snprintf(text, sizeof text, "%ls", L"\xe4")) \
    CALL(snprintf(text, sizeof text, "%.1f", 1.5)) \
    CALL(sscanf("\xc3\xa4", "%ls", wide)) \
    CALL(wcwidth(0xe4)) \
    CALL(strcoll("a", "B") < 0) \
    CALL(strxfrm(text, "aB", sizeof text)) \
    CALL(localeconv()->decimal_point[0]) \
    CALL(strtod("1,5", 0) * 10) \
    CALL(strftime(text, sizeof text, "%A", &(struct tm){0})) \
    CALL(strlen(textdomain("other"))) \
    CALL(strlen(textdomain(0))) \
    CALL(bindtextdomain("other", "/nowhere") != 0) \
    CALL(strlen(bindtextdomain("other", 0))) \
    CALL(bind_textdomain_codeset("other", "UTF-8") != 0) \
    CALL(bind_textdomain_codeset("other", 0) != 0) \
    CALL(strlen(gettext("text"))) \
    CALL(strlen(strerror(2)))

#include "driver.h"
