// Must not be parked: each round writes to a file, in which main waits for two of them.
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_int flag;
static int file;

static void *writes(void *arg) {
    while (!atomic_load(&flag))
        write(file, "x", 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    struct stat status;
    file = open("log", O_CREAT | O_RDWR, 0600);
    pthread_create(&thread, NULL, writes, NULL);
    do
        fstat(file, &status);
    while (status.st_size < 2);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return 0;
}
