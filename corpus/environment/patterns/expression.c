// A compiled expression may be used by several threads at once; who compiles or frees it must not race with them.
#include <assert.h>
#include <fnmatch.h>
#include <pthread.h>
#include <regex.h>
#include <stdlib.h>

static regex_t expression;
static char *text;

static void *matcher(void *argument) {
    regmatch_t places[2];
    assert(fnmatch("n?mb*", text, 0) == 0); // BUG: heap-overflow
    if (regexec(&expression, text, 2, places, 0) == 0) // BUG: data-race(freed)
        assert(places[1].rm_so == 7 && places[1].rm_eo == 9);
    return argument;
}

int main(void) {
    pthread_t threads[2];
    text = malloc(10);
    for (int i = 0; i < 10; i++)
        text[i] = "number 42"[i];
    assert(regcomp(&expression, "([0-9]+)", REG_EXTENDED) == 0);
#ifdef TOO_SHORT
    text = realloc(text, 9);
    matcher(NULL);
#endif
#ifdef GONE
    free(text);
    regexec(&expression, text, 0, NULL, 0); // BUG: heap-use-after-free
#endif
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, matcher, NULL);
#ifdef FREED
    regfree(&expression); // BUG: data-race(freed)
#endif
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
#ifndef FREED
    regfree(&expression);
#endif
    return 0;
}
