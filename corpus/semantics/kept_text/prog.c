// strtok keeps the text that it was given: a thread that goes on with it has a place in the text that main writes.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *thread(void *arg) {
    char *token = strtok(NULL, ",");
    *token = '1'; // BUG: data-race
    return arg;
}

int main(void) {
    char *text = strdup("a,b,c");
    strtok(text, ",");
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
#ifdef JOINS
    pthread_join(t, NULL);
#endif
    text[2] = '2'; // BUG: data-race
#ifndef JOINS
    pthread_join(t, NULL);
#endif
    free(text);
    return 0;
}
