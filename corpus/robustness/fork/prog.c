// Starts another process by fork.
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    int status;
    return waitpid(child, &status, 0) == child ? 0 : 1;
}
