// Memory that only libc or the kernel touches: one thread has a call read or write a buffer that the other one changes.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char buffer[16] = "12";

static void *caller(void *arg) {
#if defined CALL_READ
    int fd = open("/dev/zero", O_RDONLY);
    if (read(fd, buffer, sizeof buffer) != sizeof buffer) // BUG: data-race
        abort();
    close(fd);
#elif defined CALL_SNPRINTF_INTO
    snprintf(buffer, sizeof buffer, "%d", 5); // BUG: data-race
#elif defined CALL_SNPRINTF_FROM
    char copy[32];
    snprintf(copy, sizeof copy, "<%s>", buffer); // BUG: data-race
#elif defined CALL_STRTOL
    if (strtol(buffer, NULL, 10) > 12) // BUG: data-race
        abort();
#elif defined CALL_SSCANF
    int number;
    if (sscanf(buffer, "%d", &number) > 1) // BUG: data-race
        abort();
#endif
    return arg;
}

static void *writer(void *arg) {
    buffer[0] = 0; // BUG: data-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, caller, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
