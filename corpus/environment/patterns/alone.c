// Lists of paths and words, while there is one thread; beside others they are not modelled.
#include <assert.h>
#include <glob.h>
#include <pthread.h>
#include <string.h>
#include <wordexp.h>

static void *lister(void *argument) {
    glob_t paths;
    wordexp_t words;
    assert(glob("file*", 0, NULL, &paths) == 0);
    assert(paths.gl_pathc == 2 && strcmp(paths.gl_pathv[1], "file2") == 0);
    globfree(&paths);
    assert(wordexp("one 'two three'", &words, WRDE_NOCMD) == 0);
    assert(words.we_wordc == 2 && strcmp(words.we_wordv[1], "two three") == 0);
    wordfree(&words);
    return argument;
}

static void *nothing(void *argument) { return argument; }

int main(void) {
    pthread_t thread;
    lister(NULL);
#ifdef BESIDE
    pthread_create(&thread, NULL, lister, NULL);
#else
    pthread_create(&thread, NULL, nothing, NULL);
#endif
    pthread_join(thread, NULL);
    return 0;
}
