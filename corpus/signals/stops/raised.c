// The only thread raises NUMBER. What it does about that first is ACTION; behind a signal that stops the process nothing runs.
#include <assert.h>
#include <signal.h>

static int handled;

static void handle(int number) { handled += number == NUMBER; }

int main(void) {
#ifdef ACTION
    signal(NUMBER, ACTION);
#endif
    raise(NUMBER);
    assert(handled == COUNT); // BUG: assertion
    return 0;
}
