/* A server that ends before it listens: none of its clients ever begins. */

int main(void) {
    return 0;
}
