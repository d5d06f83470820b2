// runs: 500
#include <iostream>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>
#include <chrono>
#include <random>
static std::string global = "a global string that does not fit into itself";
struct Local { int n; Local() : n(7) {} ~Local() { std::cout << "local gone\n"; } };
static thread_local Local local;
static int thrower(int n) { if (n == 0) throw std::runtime_error("thrown"); return thrower(n - 1) + 1; }
int main() {
    global += " changed";
    std::map<std::string, int> map;
    for (int i = 0; i < 100; i++) map[std::to_string(i * 37 % 101)] = i;
    std::ostringstream text;
    for (auto &entry : map) text << entry.first << '=' << entry.second << ' ';
    std::cout << text.str() << global << local.n << std::endl;
    try { thrower(5); } catch (std::exception &e) { std::cout << e.what() << '\n'; }
    std::cout << std::regex_replace(std::string("a1b22"), std::regex("[0-9]+"), "#") << '\n';
    std::cout << std::chrono::steady_clock::now().time_since_epoch().count() << ' ' << std::random_device()() % 2 * 0 << '\n';
    return 0;
}
