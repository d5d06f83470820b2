// Runs a command of the shell.
#include <stdlib.h>

int main(void) {
    return system("true");
}
