// Uninitialised memory that decides nothing, and memory that something else than a store of the program initialises.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct padded {
    char letter;
    double number;
    unsigned narrow : 5;
};

static struct padded shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static volatile sig_atomic_t came;

static void expect(int holds) {
    if (!holds)
        abort();
}

static struct padded make(double number) {
    struct padded result;
    result.letter = 'a';
    result.number = number;
    result.narrow = 7;
    return result;
}

static void padding(void) {
    struct padded one = make(3), two;
    memcpy(&two, &one, sizeof one);
    pthread_mutex_lock(&lock);
    shared = two;
    expect(shared.letter == 'a' && shared.narrow == 7 && shared.number == 3);
    pthread_mutex_unlock(&lock);
}

// A value that is passed on and never looked at.
static int unused_result(int known) {
    int value;
    if (known)
        value = 1;
    return value;
}

static void half_a_word(void) {
    unsigned word;
    unsigned char *bytes = (unsigned char *)&word;
    bytes[0] = 3;
    expect((word & 0xff) == 3 && (word << 24) >> 24 == 3);
}

static void by_the_system(void) {
    int ends[2];
    char text[8], letter;
    expect(pipe(ends) == 0);
    expect(write(ends[1], "abc", 3) == 3);
    expect(read(ends[0], text, sizeof text) == 3 && text[2] == 'c');
    close(ends[0]);
    close(ends[1]);
    expect(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    expect(send(ends[0], "x", 1, 0) == 1 && recv(ends[1], &letter, 1, 0) == 1 && letter == 'x');
    close(ends[0]);
    close(ends[1]);
    struct stat status;
    expect(stat("/", &status) == 0 && S_ISDIR(status.st_mode));
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    expect(now.tv_sec >= 0 && now.tv_nsec < 1000000000);
    sigset_t set, old;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    expect(pthread_sigmask(SIG_BLOCK, &set, &old) == 0 && !sigismember(&old, SIGUSR1));
    pthread_kill(pthread_self(), SIGUSR1);
    int number;
    expect(sigwait(&set, &number) == 0 && number == SIGUSR1);
    sem_t semaphore;
    int value;
    sem_init(&semaphore, 0, 3);
    expect(sem_getvalue(&semaphore, &value) == 0 && value == 3);
    sem_destroy(&semaphore);
}

static int compare(const void *a, const void *b) {
    int left = unused_result(0);
    (void)left;
    return *(const int *)a - *(const int *)b;
}

static void by_the_library(void) {
    char buffer[64], *end, *copy;
    int first, second;
    double third;
    expect(snprintf(buffer, sizeof buffer, "%d %d", 3, 4) == 3 && buffer[0] == '3');
    expect(sscanf("5 6 1.5", "%d %d %lf", &first, &second, &third) == 3 && first + second == 11 && third > 1);
    expect(strtol("12x", &end, 10) == 12 && *end == 'x');
    copy = strdup("word");
    expect(copy[3] == 'd');
    strcpy(buffer, copy);
    strcat(buffer, "s");
    expect(strcmp(buffer, "words") == 0 && strchr(buffer, 's') != NULL);
    strncpy(buffer, "ab", 10);
    expect(buffer[9] == 0);
    free(copy);
    int list[4] = {3, 1, 2, 0};
    qsort(list, 4, sizeof *list, compare);
    expect(list[0] == 0 && list[3] == 3);
    expect(*(int *)bsearch(&(int){2}, list, 4, sizeof *list, compare) == 2);
    struct tm parts;
    time_t zero = 0;
    gmtime_r(&zero, &parts);
    expect(parts.tm_year == 70);
    FILE *stream = fmemopen("line\nmore", 9, "r");
    char line[16], *grown = NULL;
    size_t room = 0;
    expect(fgets(line, sizeof line, stream) && line[0] == 'l');
    expect(getline(&grown, &room, stream) > 0 && grown[0] == 'm');
    free(grown);
    fclose(stream);
    div_t both = div(7, 2);
    expect(both.quot == 3 && both.rem == 1);
    void *aligned;
    expect(posix_memalign(&aligned, 64, 64) == 0 && aligned != NULL);
    memset(aligned, 1, 64);
    expect(((char *)aligned)[63] == 1);
    free(aligned);
    unsigned short *numbers = calloc(4, sizeof *numbers);
    numbers = realloc(numbers, 3 * sizeof *numbers);
    expect(numbers[2] == 0);
    free(numbers);
}

#ifdef SIGNALS
static void handler(int signal) {
    int left = unused_result(0);
    (void)left;
    came = signal;
}

static void by_signals(void) {
    struct sigaction action = {.sa_handler = handler}, before;
    sigaction(SIGUSR2, &action, &before);
    expect(before.sa_handler == SIG_DFL);
    raise(SIGUSR2);
    raise(SIGUSR2);
    expect(came == SIGUSR2);
}
#endif

static void by_a_jump(void) {
    jmp_buf place;
    volatile int rounds = 0;
    if (setjmp(place) < 2) {
        rounds++;
        longjmp(place, rounds);
    }
    expect(rounds == 2);
}

static void at_the_end(void *value) { expect(value == &shared); }

static void *worker(void *argument) {
    _Atomic long number;
    atomic_init(&number, (long)argument);
    expect(atomic_fetch_add(&number, 1) == 5 && number == 6);
    pthread_setspecific(key, &shared);
    padding();
    unused_result(0);
    half_a_word();
    by_the_system();
    by_the_library();
#ifdef SIGNALS
    by_signals();
#endif
    by_a_jump();
    return argument;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_attr_t attributes;
    size_t size;
    pthread_key_create(&key, at_the_end);
    pthread_attr_init(&attributes);
    pthread_attr_getstacksize(&attributes, &size);
    expect(size > 0);
    pthread_create(&thread, &attributes, worker, (void *)5);
    pthread_join(thread, &result);
    expect(result == (void *)5);
    padding();
    pthread_attr_destroy(&attributes);
    pthread_key_delete(key);
}
