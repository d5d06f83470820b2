// A plain null pointer dereference, in a single thread.
int main(void) {
    int *volatile p = 0;
    return *p; // BUG: crash
}
