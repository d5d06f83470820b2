// Most of what a C program asks of its library, from two threads, with a result that must be the same in every run:
// printf, much malloc, errno, thread keys, setjmp and longjmp, qsort, strtok, localtime, getenv and setenv, files.
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static atomic_int order;
static uint64_t digests[2];
static int keys_destroyed;
static const char *file_name;

static void mix(uint64_t *digest, const void *bytes, size_t size) {
    const unsigned char *p = bytes;
    for (size_t i = 0; i < size; i++)
        *digest = (*digest ^ p[i]) * UINT64_C(1099511628211);
}

static void destroy(void *value) {
    pthread_mutex_lock(&mutex);
    keys_destroyed++;
    pthread_mutex_unlock(&mutex);
    free(value);
}

static int ascending(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void use_heap(uint64_t *digest, int id) {
    char *blocks[32];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 32; i++) {
            size_t size = (size_t)(i * 37 + round * 11 + id) % 700 + 1;
            blocks[i] = i % 3 == 0 ? calloc(1, size) : malloc(size);
            if (i % 5 == 0)
                blocks[i] = realloc(blocks[i], size * 3);
            memset(blocks[i], i, size);
            mix(digest, blocks[i], size);
        }
        for (int i = 31; i >= 0; i -= 2)
            free(blocks[i]);
        for (int i = 0; i < 32; i += 2)
            free(blocks[i]);
    }
}

static void use_jumps(uint64_t *digest) {
    jmp_buf back;
    volatile int times = 0;
    int value = setjmp(back);
    mix(digest, &value, sizeof value);
    if (times++ < 3)
        longjmp(back, times);
}

static void use_strings(uint64_t *digest, int id) {
    int numbers[64];
    for (int i = 0; i < 64; i++)
        numbers[i] = (i * 29 + id * 7) % 64;
    qsort(numbers, 64, sizeof numbers[0], ascending);
    mix(digest, numbers, sizeof numbers);
    char text[128];
    snprintf(text, sizeof text, "%d;%5.2f;%s;%lx", id, sqrt(id + 2.0), "word", 0xbeefUL);
    pthread_mutex_lock(&mutex);
    for (char *word = strtok(text, ";"); word != NULL; word = strtok(NULL, ";"))
        mix(digest, word, strlen(word));
    time_t moment = 1000000000 + id;
    struct tm *parts = localtime(&moment);
    char date[64];
    mix(digest, date, strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", parts));
    const char *before = getenv("CORPUS_VARIABLE");
    mix(digest, before == NULL ? "none" : before, before == NULL ? 4 : strlen(before));
    setenv("CORPUS_VARIABLE", date, 1);
    mix(digest, getenv("CORPUS_VARIABLE"), strlen(date));
    unsetenv("CORPUS_VARIABLE");
    pthread_mutex_unlock(&mutex);
    errno = 0;
    double parsed = strtod("1e999", NULL);
    mix(digest, &parsed, sizeof parsed);
    mix(digest, &errno, sizeof errno);
}

static void use_files(uint64_t *digest, int id) {
    char name[256], line[64];
    snprintf(name, sizeof name, "%s.%d", file_name, id);
    FILE *file = fopen(name, "w+");
    if (file == NULL)
        abort();
    for (int i = 0; i < 20; i++)
        fprintf(file, "line %d of %d\n", i, id);
    rewind(file);
    while (fgets(line, sizeof line, file) != NULL)
        mix(digest, line, strlen(line));
    fclose(file);
    errno = 0;
    if (fopen("/nowhere/at/all", "r") != NULL || errno != ENOENT)
        abort();
}

static void *work(void *arg) {
    int id = (int)(intptr_t)arg;
    uint64_t digest = UINT64_C(14695981039346656037);
    int *mine = malloc(sizeof *mine);
    *mine = id;
    pthread_setspecific(key, mine);
    use_heap(&digest, id);
    use_jumps(&digest);
    use_strings(&digest, id);
    use_files(&digest, id);
    mix(&digest, pthread_getspecific(key), sizeof *mine);
    printf("thread %d: %016llx\n", id, (unsigned long long)digest);
    for (int i = 0; i < 9; i++)
        atomic_fetch_add(&order, 1);
    digests[id] = digest;
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[2];
    if (argc != 2)
        return 3;
    file_name = argv[1];
    pthread_key_create(&key, destroy);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_key_delete(key);
    fflush(stdout);
    if (keys_destroyed != 2 || atomic_load(&order) != 18)
        return 1;
    // What a run outside of Inspect computes with TZ=UTC.
    return digests[0] == UINT64_C(0xdf1a2ceb8396f37a) && digests[1] == UINT64_C(0x1930df818d8a7563) ? 0 : 2;
}
