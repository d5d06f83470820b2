/* A server that never ends: it answers each byte with the next one, and counts the connections that it has served. By
   default it counts without a lock; with QUEUE it waits for a second connection before it serves the first. */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int served;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *serve(void *argument) {
    int connection = (int)(long)argument;
    char byte;
    while (read(connection, &byte, 1) == 1) {
        byte++;
        if (write(connection, &byte, 1) != 1)
            break;
    }
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
    served++; // BUG: data-race
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
    close(connection);
    return NULL;
}

static int next(int server) {
    int connection = accept(server, NULL, NULL); // BUG: deadlock
    if (connection < 0)
        exit(1);
    return connection;
}

static void begin(int connection) {
    pthread_t thread;
    pthread_create(&thread, NULL, serve, (void *)(long)connection);
    pthread_detach(thread);
}

int main(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(8080)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int server = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(server, (struct sockaddr *)&address, sizeof address) != 0 || listen(server, 5) != 0)
        return 1;
    for (;;) {
#ifdef QUEUE
        int first = next(server), second = next(server);
        begin(first);
        begin(second);
#else
        begin(next(server));
#endif
    }
}
