// A file that does not compile.
int main(void) {
    return undeclared_name;
}
