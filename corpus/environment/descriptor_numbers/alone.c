// A new descriptor has the lowest number that is free, however it is made.
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    close(0);
    assert(open("data", O_RDONLY) == 0);
    const int first = dup(0), second = open("data", O_RDONLY), third = open("data", O_RDONLY);
    assert(0 < first && first < second && second < third);
    close(second);
    FILE *stream = fopen("data", "r");
    assert(fileno(stream) == second);
    close(first);
    DIR *folder = opendir(".");
    assert(dirfd(folder) == first);
    fclose(stream);
    assert(fcntl(0, F_DUPFD, second) == second);
    closedir(folder);
    assert(creat("made", 0644) == first);
    assert(dup2(first, third) == third && close(first) == 0);
    assert(openat(AT_FDCWD, "data", O_RDONLY) == first);
    return 0;
}
