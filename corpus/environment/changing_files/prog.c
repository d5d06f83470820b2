// Reads a file whose contents the system makes up anew each time.
#include <stdio.h>

int main(void) {
    char line[64];
    FILE *file = fopen("/proc/uptime", "r");
    if (file == NULL)
        return 0;
    int got = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    return got ? 0 : 1;
}
