// Two threads append to one vector without a lock: the accesses that race are made in a header of the C++ library.
#include <thread>
#include <vector>

static std::vector<int> numbers;

static void append(int number) {
  numbers.push_back(number); // here
}

int main() {
  std::thread first(append, 1);
  append(2);
  first.join();
}
