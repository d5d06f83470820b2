// A client connects while another thread binds the server's socket and begins to listen: too early, unless it waits
// for the word that all is done.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/socket.h>
#include <sys/un.h>

static sem_t ready;
static struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "early.sock"};

static void *client(void *arg) {
    int end = *(int *)arg;
#ifdef WAITS
    sem_wait(&ready);
#endif
    int result = connect(end, (struct sockaddr *)&name, sizeof name);
#ifdef SURE
    assert(result == 0); // BUG: assertion
#else
    assert(result == 0 || errno == ENOENT || errno == ECONNREFUSED);
#endif
    return NULL;
}

int main(void) {
    pthread_t thread;
    int end = socket(AF_UNIX, SOCK_STREAM, 0), listener = socket(AF_UNIX, SOCK_STREAM, 0);
    sem_init(&ready, 0, 0);
    pthread_create(&thread, NULL, client, &end);
    assert(bind(listener, (struct sockaddr *)&name, sizeof name) == 0);
    assert(listen(listener, 1) == 0);
#ifdef WAITS
    sem_post(&ready);
#endif
    pthread_join(thread, NULL);
    return 0;
}
