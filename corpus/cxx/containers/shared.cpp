// Two threads change a container of the library, with a lock or without one.
#include <cassert>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

#if defined LIST
static std::list<int> shared{5};
static void change(int number) { shared.push_back(number); } // BUG: data-race
static bool is_right() { return shared.size() == 3; }
#elif defined HASHED
static std::unordered_map<std::string, int> shared;
static void change(int number) { shared[std::string(20, 'a' + number)]++; } // BUG: data-race
static bool is_right() { return shared.size() == 2; }
#elif defined STRING
static std::string shared = "a string that has a block";
static void change(int number) { shared += 'a' + number; } // BUG: data-race
static bool is_right() { return shared.size() == 27; }
#else
static std::map<int, int> shared{{5, 0}};
static void change(int number) { shared[number]++; } // BUG: data-race
static bool is_right() { return shared.size() == 3; }
#endif

static std::mutex mutex;

static void work(int number) {
#ifndef UNLOCKED
    std::lock_guard<std::mutex> guard(mutex);
#endif
    change(number);
}

int main() {
    std::thread other(work, 1);
    work(2);
    other.join();
    assert(is_right());
}
