// A server of UDP that never ends; each message begins a thread, which counts and answers.
#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>

static int server, served;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *answer(void *to) {
#ifdef LOCKED
    pthread_mutex_lock(&lock);
#endif
    served++; // BUG: data-race
#ifdef LOCKED
    pthread_mutex_unlock(&lock);
#endif
    sendto(server, "answer", 6, 0, (struct sockaddr *)to, sizeof(struct sockaddr_in));
    free(to);
    return NULL;
}

int main(void) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(20000)};
    server = socket(AF_INET, SOCK_DGRAM, 0);
    bind(server, (struct sockaddr *)&name, sizeof name);
    for (;;) {
        struct sockaddr_in *from = malloc(sizeof *from);
        socklen_t len = sizeof *from;
        pthread_t thread;
        char question;
        recvfrom(server, &question, 1, 0, (struct sockaddr *)from, &len);
        pthread_create(&thread, NULL, answer, from);
        pthread_detach(thread);
    }
}
