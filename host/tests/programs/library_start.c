// A thread whose start routine is a function of the C library, which reads what main writes.
#include <pthread.h>
#include <stdio.h>

static char text[] = "text";

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, (void *(*)(void *))puts, text);
    text[0] = 'n';
    pthread_join(thread, NULL);
    return 0;
}
