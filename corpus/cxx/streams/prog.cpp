// Two threads write to the standard streams at the same time, as they may; or use what of streams is not described.
#include <iomanip>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

static void work(int number) {
#ifdef INTO_STRING
    std::ostringstream text;
    text << number;
    std::cout << text.str();
#else
    std::string name = "thread " + std::to_string(number);
    std::cout << name << ' ' << std::setw(4) << 2.5 << std::endl;
    try {
        throw std::runtime_error(name);
    } catch (const std::exception &error) {
        std::cerr << error.what() << "\n";
    }
#endif
}

int main() {
    std::thread other(work, 1);
    work(2);
    other.join();
}
