// In some orders, overwrites all writable memory far away from its own, by stores that no instrumentation sees: where
// Inspect keeps its own memory. Processes of Inspect that do so are lost; none of it may look like a verified program.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

enum { MOST = 256 };

static struct {
    uintptr_t start, end;
} areas[MOST];
static int count;
static atomic_int turns;

static void look_around(void) {
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && count < MOST && fgets(line, sizeof line, maps) != NULL) {
        uintptr_t start, end;
        char access[8];
        if (sscanf(line, "%lx-%lx %7s", &start, &end, access) != 3 || access[1] != 'w')
            continue;
        if (start < UINT64_C(1) << 45 || start >= UINT64_C(1) << 46)
            continue;
        areas[count].start = start;
        areas[count].end = end;
        count++;
    }
    if (maps != NULL)
        fclose(maps);
}

static void *worker(void *arg) {
    int turn = atomic_fetch_add(&turns, 1);
    if (arg == NULL && turn == 2) {
        look_around();
        for (int i = 0; i < count; i++) {
            for (uintptr_t at = areas[i].start; at < areas[i].end; at += 64)
                __asm__ volatile("movq $0x5a5a5a5a, (%0)" : : "r"(at) : "memory");
        }
    }
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (intptr_t i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
