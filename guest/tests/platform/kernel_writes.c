// runs: 2000
// flags: -D_GNU_SOURCE
// The kernel fails, or stops half way, where it would write to a protected page: nothing of it may show.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/resource.h>
#include <unistd.h>
static char big[1 << 19];
static char pages[16][4096] __attribute__((aligned(4096)));
int main(void) {
    FILE *f = fopen("/lib/x86_64-linux-gnu/libc.so.6", "r");
    if (!f || fread(big, 1, sizeof big, f) != sizeof big) return 1;
    fclose(f);
    int fd = open("/lib/x86_64-linux-gnu/libc.so.6", O_RDONLY);
    struct iovec v[2] = {{pages[0] + 10, 4096}, {pages[3], 5000}};
    if (readv(fd, v, 2) != 9096) return 2;
    if (pread(fd, pages[6], 8192, 100) != 8192 || memcmp(pages[6], big + 100, 8192)) return 3;
    close(fd);
    if (uname((void *)pages[9]) || getrusage(0, (void *)pages[10]) || !getcwd(pages[11], 4096)) return 4;
    if (!realpath("/usr/../usr/lib", pages[12]) || readlink("/proc/self/exe", pages[13], 100) <= 0) return 5;
    DIR *d = opendir("/etc");
    int n = 0;
    while (readdir(d)) n++;
    closedir(d);
    struct stat *st = (void *)(pages[14] + 4000);
    if (stat("/", st)) return 6;
    return n > 5 ? 0 : 7;
}
