// Writes a file named by its argument, reads it back, and appends to it. Nothing of this may be on the disk afterwards,
// and every run finds it as the first one did.
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
    FILE *file = fopen(argv[1], "r");
    if (file != NULL)
        return 2;
    file = fopen(argv[1], "w");
    if (file == NULL || fputs("first\n", file) < 0 || fclose(file) != 0)
        return 3;
    file = fopen(argv[1], "a+");
    if (file == NULL || fputs("second\n", file) < 0 || fflush(file) != 0)
        return 4;
    rewind(file);
    if (fgets(line, sizeof line, file) == NULL || strcmp(line, "first\n") != 0)
        return 5;
    if (fgets(line, sizeof line, file) == NULL || strcmp(line, "second\n") != 0)
        return 6;
    fclose(file);
    pthread_create(&a, 0, thread, 0);
    pthread_create(&b, 0, thread, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
