// A function that is not instrumented, in assembly, gives a callback the address of a variable of its own, in memory where one
// of the program has ended. The callback gives it to a thread, which may write there.
#include <pthread.h>
#include <stddef.h>

void each(void (*callback)(int *));

__asm__(".globl each\n"
        ".type each, @function\n"
        "each:\n"
        ".cfi_startproc\n"
        "sub $40, %rsp\n"
        ".cfi_adjust_cfa_offset 40\n"
        "mov %rdi, %rax\n"
        "lea 12(%rsp), %rdi\n"
        "movl $0, (%rdi)\n"
        "call *%rax\n"
        "add $40, %rsp\n"
        ".cfi_adjust_cfa_offset -40\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size each, . - each\n");

static int *volatile shown;

static void *set(void *variable) {
    *(int *)variable = 7;
    return NULL;
}

static void give(int *variable) {
    pthread_t thread;
    pthread_create(&thread, NULL, set, variable);
    pthread_join(thread, NULL);
}

static __attribute__((noinline)) void before(void) {
    int many[100];
    shown = many;
    many[0] = 0;
    give(many);
    shown = NULL;
}

int main(void) {
    before();
    each(give);
    return 0;
}
