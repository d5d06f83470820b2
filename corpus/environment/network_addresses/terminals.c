// No descriptor is a terminal, so its settings are neither read nor changed.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <termios.h>
#include <unistd.h>

static void *asker(void *argument) {
    struct termios settings = {0};
    cfmakeraw(&settings);
    assert(tcgetattr(STDIN_FILENO, &settings) == -1);
    assert(tcsetattr(STDOUT_FILENO, TCSANOW, &settings) == -1 && errno == ENOTTY);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, asker, NULL);
    asker(NULL);
    pthread_join(thread, NULL);
    return 0;
}
