// Functions of libc that are safe to use from several threads: no finding.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void *work(void *arg) {
    char text[] = "a b c", line[64], *place;
    for (char *word = strtok_r(text, " ", &place); word != NULL; word = strtok_r(NULL, " ", &place))
        snprintf(line, sizeof line, "%s %ld", word, strtol("17", NULL, 10));
    time_t now = 0;
    struct tm parts;
    gmtime_r(&now, &parts);
    errno = arg == NULL ? 1 : 2;
    char *copy = strdup(line);
    if (errno != (arg == NULL ? 1 : 2))
        abort();
    free(copy);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, &b);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
