// Overwrites a file that exists. Every run must find the old contents, and so must whoever looks afterwards.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static atomic_int x;

static void *thread(void *arg) {
    atomic_fetch_add(&x, 1);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t a, b;
    char line[64] = "";
    if (argc != 2)
        return 1;
    FILE *file = fopen(argv[1], "r+");
    if (file == NULL)
        return 2;
    if (fgets(line, sizeof line, file) == NULL || strcmp(line, "old contents\n") != 0)
        return 3;
    rewind(file);
    if (fputs("new", file) < 0 || fclose(file) != 0)
        return 4;
    pthread_create(&a, 0, thread, 0);
    pthread_create(&b, 0, thread, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
