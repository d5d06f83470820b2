// runs: 1000
// output: from main, made before\nfreed\n
// What constructors do comes before main in every run.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char *early;
static void handler(int signal) {}
__attribute__((constructor)) static void first(void) { early = strdup("made before"); signal(SIGUSR2, handler); }
__attribute__((destructor)) static void last(void) { free(early); puts("freed"); }
int main(void) {
    struct sigaction action;
    if (sigaction(SIGUSR2, 0, &action) || action.sa_handler != handler || raise(SIGUSR2)) return 1;
    printf("from main, %s\n", early);
    early[0] = '!';
    return 0;
}
