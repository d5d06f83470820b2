// Taking a token off a string writes to the string.
#include <pthread.h>
#include <string.h>

static char text[] = "a b c";

static void *splitter(void *arg) {
    char *rest;
    return strtok_r(text, " ", &rest) != NULL ? NULL : arg; // BUG: data-race
}

static void *writer(void *arg) {
    text[1] = ','; // BUG: data-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, splitter, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
