// A temporary file has no name: the C library asks for such a file, or makes one and removes it at once. Two threads have one
// each.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *uses(void *arg) {
    FILE *file = tmpfile();
    assert(file);
    fputs("text", file);
    rewind(file);
    char text[8] = "";
    assert(fread(text, 1, sizeof text, file) == 4 && text[0] == 't');
    fclose(file);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, uses, NULL);
    pthread_join(thread, NULL);
    uses(NULL);
    return 0;
}
