// A file without a main.
int answer(void) {
    return 42;
}
