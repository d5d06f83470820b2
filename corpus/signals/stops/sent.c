// A thread sends a signal that stops the process by default, by SEND.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static void by_timer(int number) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number};
    struct itimerspec time = {.it_value = {0, 1}};
    timer_t timer;
    timer_create(CLOCK_REALTIME, &event, &timer);
    timer_settime(timer, 0, &time, 0);
}

static void *work(void *argument) {
    (void)by_timer;
    SEND;
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
