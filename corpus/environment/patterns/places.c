// Where a match is found is written only if there is one, and the caller wants to know.
#include <pthread.h>
#include <regex.h>

static regmatch_t place;

static void *matcher(void *text) {
    regex_t expression;
#ifdef UNASKED
    regcomp(&expression, "b", REG_NOSUB);
#else
    regcomp(&expression, "b", 0);
#endif
    regexec(&expression, text, 1, &place, 0); // BUG: data-race
    regfree(&expression);
    return NULL;
}

int main(void) {
    pthread_t thread;
#ifdef NO_MATCH
    pthread_create(&thread, NULL, matcher, "aaa");
#else
    pthread_create(&thread, NULL, matcher, "abc");
#endif
    regoff_t start = place.rm_so; // BUG: data-race
    pthread_join(thread, NULL);
    (void)start;
    return 0;
}
