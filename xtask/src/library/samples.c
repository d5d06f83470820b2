// What all programs for samples have in common; the calls and the table of samples follow it.

#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char rooms[8][ROOM] __attribute__((aligned(16)));
static __thread char *a[8];
static FILE *input, *output;
static locale_t locale;
static DIR *folder;
static volatile char sink;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

struct sample {
    void (*call)(void);
    int argument;
    unsigned size;
    int writes;
    void (*close)(void);
    struct { const char *bytes; unsigned len; } contents[8];
};

static const struct sample *sample;
static int locked;

__attribute__((unused)) static int compare(const void *left, const void *right) { return 0; }
__attribute__((unused)) static void close_input(void) { fclose(input); }
__attribute__((unused)) static void close_output(void) { fclose(output); }
// The locale "C" is not a block of the heap.
__attribute__((unused)) static void close_locale(void) {
    locale = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
    freelocale(locale);
}
__attribute__((unused)) static void close_folder(void) { closedir(folder); }
__attribute__((unused)) static void *start(void *argument) { return 0; }

static void fill(int argument, char *memory, unsigned room);

// A call with arguments of the thread's own.
static void *call_alone(void *own) {
    for (int argument = 0; argument < 8; argument++)
        fill(argument, (char *)own + argument * ROOM, ROOM);
    sample->call();
    return 0;
}

static void *thread(void *argument) {
    for (int argument = 0; argument < 8; argument++)
        a[argument] = rooms[argument];
    if (locked)
        pthread_mutex_lock(&mutex);
    sample->call();
    if (locked)
        pthread_mutex_unlock(&mutex);
    return 0;
}

static void fill(int argument, char *memory, unsigned room) {
    unsigned len = sample->contents[argument].len;
    memset(memory, 0, room);
    memcpy(memory, sample->contents[argument].bytes, len < room ? len : room);
    a[argument] = memory;
}

static void access_memory(void) {
    char *last = a[sample->argument] + sample->size - 1;
    if (sample->writes)
        sink = *last;
    else
        *last = 0;
}

static void with_another_thread(void) {
    pthread_t other;
    pthread_create(&other, 0, thread, 0);
    if (locked)
        pthread_mutex_lock(&mutex);
    access_memory();
    if (locked)
        pthread_mutex_unlock(&mutex);
    pthread_join(other, 0);
}

static void with_block(unsigned room, int freed) {
    char *block = malloc(room);
    fill(sample->argument, block, room);
    if (freed)
        free(block);
    sample->call();
}

static sigjmp_buf outside;
static void fault(int number) { siglongjmp(outside, 1); }

// Whether the call accesses more than the first bytes of its argument, as many as the row says.
static int goes_further(void) {
    char *memory = mmap(0, 2 * ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory + ROOM, ROOM, PROT_NONE);
    fill(sample->argument, memory + ROOM - sample->size, sample->size);
    signal(SIGSEGV, fault);
    if (sigsetjmp(outside, 1))
        return 1;
    sample->call();
    return 0;
}
