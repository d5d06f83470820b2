// Streams of memory: the text and its length are written when the stream is written out, the text may move with each
// call that writes, and the memory of a stream is used by its calls.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char *text;
static size_t length;
static char memory[16] = "one two";
static FILE *stream;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *arg) {
#ifdef LOCKED
    pthread_mutex_lock(&lock);
#endif
#if defined(LENGTH)
    fputs("more", stream);
    fflush(stream); // BUG: data-race(write)
#elif defined(TEXT)
    fputs("more", stream); // BUG: data-race(write)
#elif defined(APPENDS)
    fputs("b", stream);
#elif defined(MEMORY)
    memory[0] = 'O'; // BUG: data-race(write)
#elif defined(READS)
    assert(memory[0] == 'o');
#elif defined(WRITTEN_OUT)
    assert(memory[0] == 'o'); // BUG: data-race(read)
#elif defined(KEPT)
    assert(memory[0] == 'o');
#endif
#ifdef LOCKED
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

static void open_stream(void) {
#if defined(LENGTH) || defined(TEXT) || defined(APPENDS)
    stream = open_memstream(&text, &length);
    fputs("a", stream);
    fflush(stream);
#elif defined(MEMORY) || defined(READS)
    stream = fmemopen(memory, sizeof memory, "r");
#else
    stream = fmemopen(memory, sizeof memory, "r+");
#endif
}

static void use_stream(void) {
#if defined(LENGTH)
    assert(length == 1 || length == 5); // BUG: data-race(read)
#elif defined(TEXT)
    assert(text[0] == 'a'); // BUG: data-race(read)
#elif defined(APPENDS)
    fputs("c", stream);
#elif defined(MEMORY)
    fgetc(stream); // BUG: data-race(read)
#elif defined(READS)
    assert(fgetc(stream) == 'o');
#elif defined(WRITTEN_OUT)
    // When it is written out is the library's affair.
    fputc('o', stream); // BUG: data-race(write)
    fflush(stream);
#elif defined(KEPT)
    assert(fgetc(stream) == 'o');
#endif
}

int main(void) {
    pthread_t other;
    open_stream();
    pthread_create(&other, NULL, thread, NULL);
#ifdef LOCKED
    pthread_mutex_lock(&lock);
#endif
    use_stream();
#ifdef LOCKED
    pthread_mutex_unlock(&lock);
#endif
    pthread_join(other, NULL);
    fclose(stream);
#if defined(APPENDS)
    assert(length == 3);
    assert(strcmp(text, "abc") == 0 || strcmp(text, "acb") == 0);
    assert(strcmp(text, LATE) != 0); // BUG: assertion
#elif !defined(LENGTH) && !defined(TEXT)
    FILE *none = fmemopen(NULL, 8, "w+");
    assert(fputs("abc", none) >= 0 && fseek(none, 0, SEEK_SET) == 0 && fgetc(none) == 'a');
    assert(fileno(none) == -1);
    fclose(none);
#ifdef REOPENS
    none = fmemopen(NULL, 8, "w+");
    freopen("file", "r", none);
#endif
#endif
    return 0;
}
