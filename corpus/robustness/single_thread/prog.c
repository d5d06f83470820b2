// No thread at all: one execution.
#include <stdio.h>

int main(void) {
    puts("hello");
    return 0;
}
