/* Creates a thread for each client, before main. */

#include <inspect.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/socket.h>

#ifdef __cplusplus
#define C_LINKAGE extern "C"
#else
#define C_LINKAGE
#endif

#define count(number) +1
enum { COUNT = CLIENTS(count) };

static sem_t ready;
static int running = COUNT, listened;

/* By this the program is known to have clients. */
__attribute__((used, retain, section("inspect_clients"))) static const int clients = COUNT;

C_LINKAGE int __real_listen(int descriptor, int length);
C_LINKAGE int __real_bind(int descriptor, const struct sockaddr *name, socklen_t length);

/* Clients can connect now, or send. */
static void begin_all(void) {
    __atomic_store_n(&listened, 1, __ATOMIC_SEQ_CST);
    for (int client = 0; client < COUNT; client++)
        sem_post(&ready);
}

C_LINKAGE int __wrap_listen(int descriptor, int length) {
    int result = __real_listen(descriptor, length);
    if (result == 0)
        begin_all();
    return result;
}

C_LINKAGE int __wrap_bind(int descriptor, const struct sockaddr *name, socklen_t length) {
    int result = __real_bind(descriptor, name, length), kind = 0;
    socklen_t size = sizeof kind;
    if (result == 0 && getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &size) == 0 && kind == SOCK_DGRAM)
        begin_all();
    return result;
}

#define begin(number) \
    C_LINKAGE void inspect_main_of_client_##number##_begun(char **arguments); \
    static void *client_##number(void *name) { \
        char *arguments[] = {(char *)name, NULL}; \
        sem_wait(&ready); \
        inspect_main_of_client_##number##_begun(arguments); \
        if (__atomic_sub_fetch(&running, 1, __ATOMIC_SEQ_CST) == 0) \
            exit(0); \
        return NULL; \
    }
CLIENTS(begin)
#undef begin

#define begin(number) \
    pthread_create(&thread, NULL, client_##number, (void *)"client"); \
    pthread_detach(thread);
/* Executions without a client are of no interest: nothing is verified by these alone. */
__attribute__((destructor)) static void end(void) {
    inspect_assume(__atomic_load_n(&listened, __ATOMIC_SEQ_CST));
}

__attribute__((constructor)) static void begin_clients(void) {
    pthread_t thread;
    sem_init(&ready, 0, 0);
    CLIENTS(begin)
}
