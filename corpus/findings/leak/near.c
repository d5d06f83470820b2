// Blocks that are never freed, and that somebody can still reach at the end: from a variable, from another block, by a
// pointer into the middle, from the stack of a thread that waits, from thread-specific data, or as the result of a thread
// that nobody has joined yet. And those that were freed.
#include <pthread.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct node {
    struct node *next;
    char text[40];
};

static struct node *head;
static char *inside;
static uint64_t tagged;
static void **read_only;
static char *of_a_short_file;
static pthread_key_t key;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *returns(void *arg) {
    (void)arg;
    return malloc(8);
}

static void *waits(void *arg) {
    struct node *volatile own = calloc(1, sizeof *own);
    pthread_mutex_lock(&mutex); // main holds it
    free(own);
    return arg;
}

int main(void) {
    pthread_t ended, waiting;
    head = calloc(1, sizeof *head);
    head->next = calloc(1, sizeof *head);
    inside = (char *)malloc(100) + 50;
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, malloc(16));
    free(malloc(24));
    // A version in the bits above the address; a page that is not written to any more.
    tagged = (uint64_t)malloc(32) | (uint64_t)1 << 48;
    read_only = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    read_only[0] = malloc(40);
    mprotect(read_only, 4096, PROT_READ);
    // Nothing can be read behind the end of a file.
    int file = open("short", O_RDWR | O_CREAT, 0600);
    of_a_short_file = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    close(file);
    pthread_mutex_lock(&mutex);
    pthread_create(&ended, NULL, returns, NULL); // BUG: thread-not-joined
    pthread_create(&waiting, NULL, waits, NULL); // BUG: thread-not-joined
    exit(0); // BUG: missing-pthread-exit
}
