// Reads its own source line by line in every run; offsets and buffers start afresh each time.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x;

static void *thread(void *arg) {
    atomic_fetch_add(&x, 1);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t a, b;
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (file == NULL)
        return 1;
    char line[256];
    int lines = 0;
    while (fgets(line, sizeof line, file) != NULL)
        lines++;
    fclose(file);
    if (lines != 3)
        return 2;
    pthread_create(&a, 0, thread, 0);
    pthread_create(&b, 0, thread, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
