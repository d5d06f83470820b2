// A timer by processor time.
#include <sys/time.h>

int main(void) {
    struct itimerval once = {.it_value = {1, 0}};
    return setitimer(ITIMER_PROF, &once, 0);
}
