// runs: 300
// ending: signal 11 in the guard of stack 2
// flags: -O0
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static int deeper(int n) { char room[500]; memset(room, n, sizeof room); return deeper(n + 1) + room[0]; }
static void *fine(void *argument) { char room[100000]; memset(room, 1, sizeof room); return room[5] ? 0 : argument; }
static void *work(void *argument) { printf("%d", deeper(0)); return argument; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, fine, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    return pthread_join(b, 0);
}
