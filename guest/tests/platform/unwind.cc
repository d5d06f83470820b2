// runs: 3
// rows: yes
// output: 3 5\n
// Frames of several kinds, and with the C++ library a great many more.
#include <cstdio>
#include <string>

__attribute__((noinline)) static int with_a_size(int size) {
    volatile char room[size];
    room[size - 1] = (char)size;
    return room[size - 1];
}

__attribute__((noinline)) static int aligned(int value) {
    alignas(64) volatile int room[16] = {value};
    return room[0];
}

__attribute__((noinline)) static int thrown(int value) {
    try {
        if (value > 0)
            throw std::string(value, 'x');
    } catch (const std::string &text) {
        return (int)text.size();
    }
    return 0;
}

int main() {
    std::printf("%d %d\n", with_a_size(3), thrown(aligned(5)));
}
