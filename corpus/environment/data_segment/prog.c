// The end of the data segment.
#include <stdint.h>
#include <unistd.h>

int main(void) {
    char *end = sbrk(0);
#ifdef MOVES
    char *more = sbrk(4096);
    more[0] = 1;
#endif
    return end == NULL;
}
