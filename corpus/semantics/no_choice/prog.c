// A choice among COUNT values, of which there are none if that is below 1.
#include <assert.h>
#include <inspect.h>

int main(void) {
    int chosen = inspect_choose(COUNT);
    assert(chosen == 0);
    return 0;
}
