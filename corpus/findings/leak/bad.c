// A block whose last pointer goes away: LOSS says how. The thread that allocates it is another one than main.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    char text[40];
};

static struct node *head;

static void *adds(void *arg) {
#if LOSS == 1 // the only pointer is overwritten
    head = malloc(sizeof *head); // BUG: leak
    head = NULL;
#elif LOSS == 2 // the first of a list is lost, and the second one with it
    head = calloc(1, sizeof *head); // BUG: leak
    head->next = calloc(1, sizeof *head);
    head = NULL;
#elif LOSS == 3 // two blocks that point to each other
    struct node *one = calloc(1, sizeof *one); // BUG: leak
    one->next = calloc(1, sizeof *one);
    one->next->next = one;
#elif LOSS == 4 // what a thread returns and nobody asks for
    return malloc(8); // BUG: leak
#elif LOSS == 5 // what a thread-local variable holds
    static _Thread_local char *name;
    name = malloc(9); // BUG: leak
    name[0] = 0;
#elif LOSS == 6 // realloc moves the block, and the new place is lost
    head = malloc(sizeof *head);
    void *other = realloc(head, 4096); // BUG: leak
    memset(other, 0, 8);
    head = NULL;
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, adds, NULL);
    pthread_join(thread, NULL);
    return 0;
}
