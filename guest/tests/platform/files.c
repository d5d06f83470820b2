// runs: 500
// Files written, changed, renamed and removed: in the next run, and on disk, they are as before.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static int content(const char *name, const char *expected) {
    char text[100] = {0};
    int fd = open(name, O_RDONLY), n;
    if (fd < 0) return expected == 0;
    n = read(fd, text, 99);
    close(fd);
    return expected && n == (int)strlen(expected) && !strcmp(text, expected);
}
int main(void) {
    if (!content("overlay-1", 0) || !content("overlay-2", 0)) return 1;
    int fd = open("overlay-1", O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (fd != 3 || write(fd, "hello", 5) != 5 || close(fd)) return 2;
    if (!content("overlay-1", "hello") || open("overlay-1", O_CREAT | O_EXCL | O_WRONLY) >= 0) return 3;
    FILE *f = fopen("overlay-1", "a");
    fprintf(f, " world");
    fclose(f);
    if (!content("./overlay-1", "hello world")) return 4;
    if (rename("overlay-1", "overlay-2") || !content("overlay-1", 0) || !content("overlay-2", "hello world")) return 5;
    f = fopen("/etc/hostname", "r+");
    if (f) { fputs("gone", f); fclose(f); }
    if (content("/etc/hostname", 0)) return 6;
    struct stat st;
    if (stat("overlay-2", &st) || st.st_size != 11 || (st.st_mode & 0777) != 0600) return 7;
    return 0;
}
