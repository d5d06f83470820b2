/* Makes two calls of a list, one by a second thread and one by main.
 *
 * Before this file come CALLS(CALL), the list, begin(), what is there before the calls, and end(), a number that depends
 * on what is there after them.
 *
 *   PROGRAM                    prints the calls, one a line
 *   PROGRAM F G ORDER          makes call F by the second thread and G by main, F first if ORDER is 0, G first if it is
 *                              1; prints both results and the number of end()
 *   PROGRAM F G any A B C      makes them in any order, and fails an assertion if this is the outcome
 */
#define TEXT(...) #__VA_ARGS__,
#define CASE(...) case __COUNTER__: result = (long)(__VA_ARGS__); break;

static const char *texts[] = {CALLS(TEXT)};

/* The result of a call, and why it has failed if it has. */
static long call(int number) {
    long result = 0;
    errno = 0;
    switch (number) {
        CALLS(CASE)
    }
    return result == -1 ? -1000 - errno : result;
}

enum order { FIRST, SECOND, ANY };

static enum order order;
static int numbers[2];
static long results[2];
static sem_t made;

static void make(int which) {
    if (order == (which == 0 ? SECOND : FIRST))
        sem_wait(&made);
    results[which] = call(numbers[which]);
    if (order == (which == 0 ? FIRST : SECOND))
        sem_post(&made);
}

static void *second(void *unused) {
    make(0);
    return unused;
}

int main(int count, char **arguments) {
    pthread_t thread;
    if (count < 4) {
        for (size_t at = 0; at < sizeof texts / sizeof *texts; at++)
            puts(texts[at]);
        return 0;
    }
    numbers[0] = atoi(arguments[1]);
    numbers[1] = atoi(arguments[2]);
    order = arguments[3][0] == 'a' ? ANY : arguments[3][0] == '0' ? FIRST : SECOND;
    if (order != ANY)
        sem_init(&made, 0, 0);
    begin();
    pthread_create(&thread, 0, second, 0);
    make(1);
    pthread_join(thread, 0);
    long after = end();
    if (order == ANY)
        assert(results[0] != atol(arguments[4]) || results[1] != atol(arguments[5]) || after != atol(arguments[6]));
    else
        dprintf(1, "\n%ld %ld %ld\n", results[0], results[1], after);
    _exit(0);
}
