// Two threads change, one after the other, something that belongs to the process and that no variable shows. When both
// have ended, the order is told by that alone: a search that takes the two orders for one state misses one of them
// (wrong, 1 or 2, came last, or first where it says so). HIDDEN says what is changed.
#include <assert.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Which order fails.
static int wrong;

#define HANDLER 1
#define ENVIRONMENT 2
#define POSITION 3
#define DESCRIPTOR 4
#define AT_EXIT 5
#define DESTRUCTOR 6
#define TOKENS 7
#define RAND 8
#define BROKEN_DOWN 9
#define LOCALE 10
#define PUSHED_BACK 11
#define OUTER_VARIABLE 12

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

#if HIDDEN == HANDLER
static int got;
static void one(int signal) { got = signal ? 1 : 0; }
static void two(int signal) { got = signal ? 2 : 0; }
static void set(int who) { signal(SIGUSR1, who == 1 ? one : two); }
static int get(void) {
    raise(SIGUSR1);
    return got;
}
#elif HIDDEN == ENVIRONMENT
static void set(int who) { setenv("LAST", who == 1 ? "1" : "2", 1); }
static int get(void) { return atoi(getenv("LAST")); }
#elif HIDDEN == POSITION
static int file;
__attribute__((constructor)) static void prepare(void) { file = open("/etc/passwd", O_RDONLY); }
static void set(int who) { lseek(file, who, SEEK_SET); }
static int get(void) { return (int)lseek(file, 0, SEEK_CUR); }
#elif HIDDEN == DESCRIPTOR
static void set(int who) {
    if (who == 1)
        close(9);
    else
        dup2(0, 9);
}
static int get(void) { return fcntl(9, F_GETFD) < 0 ? 1 : 2; }
#elif HIDDEN == AT_EXIT
static int ran;
// The last one to be registered runs first.
static void one(void) {
    assert(ran || wrong != 1);
    ran = 1;
}
static void two(void) {
    assert(ran || wrong != 2);
    ran = 1;
}
static void set(int who) { atexit(who == 1 ? one : two); }
static int get(void) { return 0; }
#elif HIDDEN == DESTRUCTOR
static pthread_key_t key;
static int got;
__attribute__((constructor)) static void prepare(void) { pthread_key_create(&key, NULL); }
static void one(void *value) { got = value ? 1 : 0; }
static void two(void *value) { got = value ? 2 : 0; }
static void *value(void *unused) {
    pthread_setspecific(key, &key);
    return unused;
}
static void set(int who) {
    pthread_key_delete(key);
    pthread_key_create(&key, who == 1 ? one : two);
}
static int get(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, value, NULL);
    pthread_join(thread, NULL);
    return got;
}
#elif HIDDEN == TOKENS
static char first[] = "a b c", second[] = "a b c";
static void set(int who) { strtok(who == 1 ? first : second, " "); }
static int get(void) {
    char *token = strtok(NULL, " ");
    return token >= first && token < first + sizeof first ? 1 : 2;
}
#elif HIDDEN == RAND
static void set(int who) { srand((unsigned)who); }
static int get(void) {
    int drawn = rand();
    srand(1);
    return drawn == rand() ? 1 : 2;
}
#elif HIDDEN == BROKEN_DOWN
static struct tm *result;
static void set(int who) {
    time_t time = who;
    result = gmtime(&time);
}
static int get(void) { return result->tm_sec; }
#elif HIDDEN == LOCALE
static void set(int who) { setlocale(LC_ALL, who == 1 ? "C" : "C.UTF-8"); }
static int get(void) { return strcmp(setlocale(LC_ALL, NULL), "C") == 0 ? 1 : 2; }
#elif HIDDEN == PUSHED_BACK
static void set(int who) { ungetc('0' + who, stdin); }
static int get(void) { return getc(stdin) - '0'; }
#elif HIDDEN == OUTER_VARIABLE
static int *outer;
static void set(int who) { *outer = who; }
static int get(void) { return *outer; }
#else
#error "HIDDEN"
#endif

static void *thread(void *who) {
    pthread_mutex_lock(&m);
    set((int)(long)who);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(int count, char **arguments) {
    (void)count;
    wrong = arguments[1][0] - '0';
    int variable = 0;
#if HIDDEN == OUTER_VARIABLE
    outer = &variable;
#endif
    pthread_t threads[2];
    for (long who = 1; who <= 2; who++)
        pthread_create(&threads[who - 1], NULL, thread, (void *)who);
    for (int at = 0; at < 2; at++)
        pthread_join(threads[at], NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    assert(get() != wrong);
    return variable * 0;
}
