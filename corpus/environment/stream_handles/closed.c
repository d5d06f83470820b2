// A stream that was closed, or the entries of a folder: the library has freed them.
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>

static FILE *stream;
static DIR *folder;

static void *closer(void *argument) {
    fclose(stream);
    closedir(folder);
    return argument;
}

int main(void) {
    pthread_t thread;
    stream = fopen("file", "r");
    folder = opendir("/");
#ifdef BEFORE
    int first = fgetc(stream) != 'a' || readdir(folder) == NULL;
#endif
    pthread_create(&thread, NULL, closer, NULL);
    pthread_join(thread, NULL);
#ifdef BEFORE
    return first;
#elif defined FOLDER
    return readdir(folder) == NULL; // BUG: heap-use-after-free
#else
    return fgetc(stream) == 'b'; // BUG: heap-use-after-free
#endif
}
