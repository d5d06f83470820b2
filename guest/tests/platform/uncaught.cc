// runs: 500
// ending: signal 6
#include <stdexcept>
int main() { throw std::runtime_error("nobody"); }
