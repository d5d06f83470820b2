// strtok keeps its place in hidden state: two threads that use it race inside libc.
#include <pthread.h>
#include <string.h>

static void *split(void *arg) {
    (void)arg;
    char text[] = "a b c";
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) // BUG: data-race
        ;
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, split, NULL);
    pthread_create(&b, NULL, split, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
