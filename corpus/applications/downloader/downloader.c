// A downloader in the shape of aget (table 2 of the paper about Inspect): threads that each fetch one part of a file from a server, a
// thread of this program, over a connection of their own on the loopback, and write it to its place; a timer's signal makes a
// thread show how much is there, which waits for it. HANDLER: a handler in whichever thread takes the signal shows it.
//
// BUG 1: the count is a plain variable that the fetchers change under a lock, and that is shown without it (as bwritten in aget).
// BUG 2: the handler takes the lock, which the thread that it interrupts may hold. BUG 3: the server takes all requests before it
// answers one, and a fetcher waits for its answer before the next one asks.
#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#ifndef FETCHERS
#define FETCHERS 1
#endif
#ifndef BUG
#define BUG 0
#endif

enum { PART = 8, LENGTH = FETCHERS * PART };

static const char served[] = "the file that is downloaded in parts";
static int listener, file;
static struct sockaddr_in address;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#if BUG == 1 || BUG == 2
static long arrived;
#else
static atomic_long arrived;
#endif
static volatile sig_atomic_t shown = -1;

static void count(long bytes) {
#if BUG == 1 || BUG == 2
    pthread_mutex_lock(&lock);
    arrived += bytes; // BUG: data-race
    pthread_mutex_unlock(&lock);
#else
    arrived += bytes;
#endif
}

static void show_progress(int number) {
    assert(number == SIGALRM);
#if BUG == 2
    pthread_mutex_lock(&lock); // BUG: mutex-relock
#endif
    shown = (sig_atomic_t)arrived; // BUG: data-race
#if BUG == 2
    pthread_mutex_unlock(&lock);
#endif
}

static long receive(int connection, char *into, long bytes) {
    long got = 0;
    while (got < bytes) {
        ssize_t more = recv(connection, into + got, (size_t)(bytes - got), 0);
        assert(more >= 0);
        if (more == 0)
            break;
        got += more;
    }
    return got;
}

static void answer(int connection, int part) {
    assert(send(connection, served + part * PART, PART, 0) == PART);
    close(connection);
}

static int accept_request(int *part) {
    int connection = accept(listener, 0, 0);
    unsigned char request;
    assert(connection >= 0);
    assert(receive(connection, (char *)&request, 1) == 1);
    *part = request;
    return connection;
}

static void *serve(void *arg) {
#if BUG == 3
    int parts[FETCHERS], connections[FETCHERS];
    for (int i = 0; i < FETCHERS; i++)
        connections[i] = accept_request(&parts[i]);
    for (int i = 0; i < FETCHERS; i++)
        answer(connections[i], parts[i]);
#else
    for (int i = 0; i < FETCHERS; i++) {
        int part, connection = accept_request(&part);
        answer(connection, part);
    }
#endif
    return arg;
}

static void *fetch(void *arg) {
    unsigned char part = (unsigned char)(long)arg;
    char data[PART];
#if BUG == 3
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&one_at_a_time); // BUG: deadlock
#endif
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    assert(connect(connection, (struct sockaddr *)&address, sizeof address) == 0);
    assert(send(connection, &part, 1, 0) == 1);
    long got = receive(connection, data, PART);
    assert(pwrite(file, data, (size_t)got, part * PART) == got);
    count(got);
    close(connection);
#if BUG == 3
    pthread_mutex_unlock(&one_at_a_time);
#endif
    return 0;
}

static void listen_at_loopback(void) {
    socklen_t length = sizeof address;
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    assert(bind(listener, (struct sockaddr *)&address, sizeof address) == 0);
    assert(listen(listener, FETCHERS) == 0);
    assert(getsockname(listener, (struct sockaddr *)&address, &length) == 0);
}

static void start_timer(void) {
    struct itimerval once = {.it_value.tv_sec = 1};
    setitimer(ITIMER_REAL, &once, 0);
}

#if defined HANDLER || BUG == 2
static void start_progress_bar(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = show_progress;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, 0);
    start_timer();
}

static void end_progress_bar(void) {}
#else
static pthread_t progress_bar;

static void *progress(void *alarm) {
    int number;
    sigwait(alarm, &number);
    show_progress(number);
    return 0;
}

static void start_progress_bar(void) {
    static sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, 0);
    pthread_create(&progress_bar, 0, progress, &alarm);
    start_timer();
}

static void end_progress_bar(void) {
    pthread_join(progress_bar, 0);
    assert(shown >= 0 && shown <= LENGTH);
}
#endif

int main(void) {
    pthread_t server, fetchers[FETCHERS];
    char copy[LENGTH];
    file = open("copy", O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert(file >= 0);
    listen_at_loopback();
    start_progress_bar();
    pthread_create(&server, 0, serve, 0);
    for (long i = 0; i < FETCHERS; i++)
        pthread_create(&fetchers[i], 0, fetch, (void *)i);
    for (int i = 0; i < FETCHERS; i++)
        pthread_join(fetchers[i], 0);
    pthread_join(server, 0);
    end_progress_bar();
    assert(arrived == LENGTH);
    assert(pread(file, copy, LENGTH, 0) == LENGTH && memcmp(copy, served, LENGTH) == 0);
    close(listener);
    close(file);
    return 0;
}
