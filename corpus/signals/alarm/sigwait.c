// An alarm ends a wait for its signal, whether it comes before the wait or in it.
#include <assert.h>
#include <signal.h>
#include <unistd.h>

int main(void) {
    sigset_t set;
    int number = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, 0);
    assert(SET == 0);
    sigwait(&set, &number);
    assert(number == SIGALRM);
    return 0;
}
