// runs: 2000
// Most of what a program uses of the C library, in one run; every run must print the same.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <sys/time.h>
#include <unistd.h>
static int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }
static jmp_buf jump;
static void bounce(int n) { char room[5000]; memset(room, n, sizeof room); if (n == 0) longjmp(jump, 3); bounce(n - 1); }
static void goodbye(void) { printf("goodbye\n"); }
__attribute__((destructor)) static void last(void) { printf("last\n"); }
static __thread int local = 4;
int main(void) {
    setvbuf(stderr, 0, _IONBF, 0);
    atexit(goodbye);
    pthread_key_t key;
    if (pthread_key_create(&key, 0)) return 1;
    printf("key %u local %d\n", key, local++);
    pthread_setspecific(key, &jump);
    errno = 0;
    if (fopen("/nonexistent/x", "r") || errno != ENOENT) return 2;
    int hit = setjmp(jump);
    if (hit == 0) bounce(7);
    printf("jump %d\n", hit);
    int numbers[50];
    for (int i = 0; i < 50; i++) numbers[i] = rand() % 1000;
    qsort(numbers, 50, sizeof *numbers, compare);
    printf("sorted %d %d %d\n", numbers[0], numbers[25], numbers[49]);
    char text[] = "a,b;c", *part, *state = text;
    for (part = strtok(text, ",;"); part; part = strtok(0, ",;")) printf("[%s]", part);
    time_t now = time(0), later = now;
    struct tm *tm = localtime(&now);
    char date[64];
    strftime(date, sizeof date, "%Y-%m-%d", tm);
    printf("\n%s %s", date, asctime(tm));
    if (getenv("SOMETHING")) return 3;
    setenv("SOMETHING", "new", 1);
    printf("%s\n", getenv("SOMETHING"));
    struct timespec t1, t2;
    struct timeval tv;
    clock_gettime(CLOCK_MONOTONIC, &t1);
    timespec_get(&t2, TIME_UTC);
    gettimeofday(&tv, 0);
    printf("%ld.%09ld %ld.%09ld %ld.%06ld %ld\n", t1.tv_sec, t1.tv_nsec, t2.tv_sec, t2.tv_nsec, tv.tv_sec, tv.tv_usec, clock());
    unsigned random;
    if (getrandom(&random, sizeof random, 0) != sizeof random) return 4;
    printf("random %u pid %d\n", random, getpid());
    char name[] = "/tmp/inspect-test-XXXXXX";
    int fd = mkstemp(name);
    if (fd < 0) return 5;
    printf("%s %d\n", name, fd);
    FILE *file = fdopen(fd, "w+");
    for (int i = 0; i < 3000; i++) fprintf(file, "line %d\n", i);
    rewind(file);
    long sum = 0;
    char line[100];
    while (fgets(line, sizeof line, file)) sum += strlen(line);
    struct stat st;
    fflush(file);
    if (stat(name, &st) || st.st_size != sum) return 6;
    printf("sum %ld size %ld ino %lu\n", sum, (long)st.st_size, (unsigned long)st.st_ino);
    fclose(file);
    if (access(name, F_OK)) return 7;
    if (unlink(name) || !access(name, F_OK) || open(name, O_RDONLY) >= 0) return 8;
    file = fopen("/etc/passwd", "r");
    sum = 0;
    while (fgets(line, sizeof line, file)) sum += strlen(line);
    printf("passwd %s\n", sum > 0 ? "read" : "empty");
    void *map = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(map, 1, 1 << 20);
    printf("map %p buffer %p\n", map, malloc(300000));
    munmap(map, 1 << 20);
    printf("locale %s\n", setlocale(LC_ALL, "C.UTF-8"));
    char *big = 0;
    for (int i = 1; i < 200; i++) { big = realloc(big, i * 1000); big[i * 1000 - 1] = i; }
    for (int i = 1; i < 200; i++) if (big[i * 1000 - 1] != (char)i) return 9;
    void *aligned;
    if (posix_memalign(&aligned, 4096, 100) || (unsigned long)aligned % 4096) return 10;
    free(aligned);
    fprintf(stderr, "to the error output\n");
    struct timespec nap = {1, 0};
    nanosleep(&nap, 0);
    time(&later);
    printf("slept %ld\n", (long)(later - now));
    return 0;
}
