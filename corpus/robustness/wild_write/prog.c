// Overwrites whatever is mapped below and above its own data in large steps. Whatever this hits, the checker must
// survive it and must not call the program verified.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int x;

static void *writer(void *arg) {
    x = 1; // BUG: data-race
    return arg;
}

static void overwrite_everything(void) {
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        uintptr_t start, end;
        char access[8];
        if (sscanf(line, "%lx-%lx %7s", &start, &end, access) != 3)
            continue;
        if (access[1] != 'w' || strstr(line, "stack") != NULL)
            continue;
        for (uintptr_t at = start; at < end; at += 64)
            *(volatile uint64_t *)at = UINT64_C(0x5a5a5a5a5a5a5a5a);
    }
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, writer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    overwrite_everything();
    return 0;
}
