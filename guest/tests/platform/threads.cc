// runs: 2000
// Threads take turns at sched_yield: inside catch blocks, destructors, callbacks of qsort, with locals in vector registers.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <pthread.h>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <vector>
#include <unistd.h>
static int order;
struct Local {
    int id = 0;
    ~Local() { printf("thread local of %d gone, %d\n", id, ++order); }
};
static thread_local Local local;
static thread_local int plain = 42;
struct Yielding { ~Yielding() { sched_yield(); } };
static int compare(const void *a, const void *b) { sched_yield(); return *(int *)a - *(int *)b; }
static void deep(int n, int id) { Yielding y; if (n == 0) throw std::runtime_error("thrown by " + std::to_string(id)); deep(n - 1, id); }
static void *work(void *argument) {
    int id = (int)(long)argument;
    local.id = id;
    double sum = 0.5 * id;
    if (plain++ != 42) return (void *)1;
    errno = id;
    sched_yield();
    if (errno != id) return (void *)2;
    try { deep(3, id); } catch (std::exception &e) {
        sched_yield();
        if (e.what() != "thrown by " + std::to_string(id)) return (void *)3;
        try { throw; } catch (std::exception &again) {
            sched_yield();
            if (&again != &e || std::uncaught_exceptions()) return (void *)4;
        }
    }
    int numbers[] = {5, 3, 9, 1, id};
    qsort(numbers, 5, sizeof *numbers, compare);
    for (int i = 0; i < 10; i++) { sum += i * 0.25; sched_yield(); }
    if (sum != 0.5 * id + 11.25) return (void *)5;
    std::vector<std::string> strings;
    for (int i = 0; i < 20; i++) { strings.push_back(std::string(i * 3, 'a' + id)); if (i % 5 == 0) sched_yield(); }
    char block[64];
    snprintf(block, sizeof block, "%d %p %p %d\n", id, (void *)strings.data(), (void *)pthread_self(), gettid());
    if (write(1, block, __builtin_strlen(block)) < 0) return (void *)6;
    return (void *)100;
}
int main() {
    pthread_t threads[4];
    for (long i = 1; i <= 4; i++) if (pthread_create(&threads[i - 1], 0, work, (void *)i)) return 1;
    if (plain != 42 || work((void *)9) != (void *)100) return 2;
    for (auto thread : threads) { void *result; if (pthread_join(thread, &result) || result != (void *)100) return 3 + (int)(long)result; }
    printf("%d\n", order);
    return order == 4 ? 0 : 20;
}
