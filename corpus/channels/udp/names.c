// Two threads bind sockets to one port: it is one of them that gets it.
#include <arpa/inet.h>
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>

static struct sockaddr_in name = {.sin_family = AF_INET};
static int fds[2], results[2];

static void *binds(void *number) {
    results[(long)number] = bind(fds[(long)number], (struct sockaddr *)&name, sizeof name);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    name.sin_port = htons(20000);
    for (long i = 0; i < 2; i++)
        fds[i] = socket(AF_INET, SOCK_DGRAM, 0);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, binds, (void *)i);
    for (long i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(results[0] + results[1] == -1);
    return 0;
}
