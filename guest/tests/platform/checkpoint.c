// runs: 3000
// Mutual turns with memory, clocks, random numbers and output between them: a run that goes on from a checkpoint twice
// does the same both times.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
static char *list[100];
static int count;
static void *work(void *argument) {
    for (int i = 0; i < 8; i++) {
        struct timespec now;
        unsigned char byte;
        clock_gettime(CLOCK_REALTIME, &now);
        getrandom(&byte, 1, 0);
        char *text = malloc(50 + 700 * i);
        sprintf(text, "%s %d %ld %d", (char *)argument, i, now.tv_nsec, byte);
        list[count++] = text;
        puts(text);
        fflush(stdout);
        sched_yield();
    }
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, "a");
    pthread_create(&b, 0, work, "b");
    work("main");
    pthread_join(a, 0);
    pthread_join(b, 0);
    for (int i = 0; i < count; i++) { printf("%s %p\n", list[i], list[i]); free(list[i]); }
    return count == 24 ? 0 : 1;
}
