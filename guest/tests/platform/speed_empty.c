// runs: 300000
static volatile int touched[8][1024] __attribute__((aligned(4096)));
int main(void) { for (int i = 0; i < 8; i++) touched[i][0] = 1; return 0; }
