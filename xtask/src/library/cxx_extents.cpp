// Calls a function of the C++ library natively, with no more memory than its row says that it accesses: an object ends at
// a page that nobody may touch, and one that is only read cannot be written.
//
//     cxx_extents NAME ARGUMENT SIZE r|w
//
// The status is 0 if the function came back, 3 if nothing is known of how to call it; it is killed where it accesses more.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <system_error>
#include <thread>
#include <typeinfo>
#include <vector>

// Objects are no blocks of the heap here.
void operator delete(void *) noexcept {}
void operator delete(void *, std::size_t) noexcept {}

using Bytes = std::vector<unsigned char>;

// The bytes of an object, which is not ended: what it refers to stays.
template <class T> static Bytes bytes_of(const T &object) {
    Bytes bytes(sizeof object);
    std::memcpy(bytes.data(), static_cast<const void *>(&object), sizeof object);
    return bytes;
}

template <class T, class... Arguments> static Bytes made(Arguments &&...arguments) {
    return bytes_of(*new T(std::forward<Arguments>(arguments)...));
}

static Bytes text(const char *characters) { return Bytes(characters, characters + std::strlen(characters) + 1); }

struct Base {
    virtual ~Base() = default;
};
struct Derived : Base {};
struct Task : std::thread::_State {
    void _M_run() override {}
};

static void nothing() {}

// What the arguments point to, and those that are values: an argument without bytes is one.
struct Call {
    std::vector<Bytes> contents;
    std::vector<long> values;
};

static Bytes exception(const std::string &name) {
    static const std::map<std::string, std::function<Bytes()>> makers = {
        {"exception", made<std::exception>},
        {"bad_alloc", made<std::bad_alloc>},
        {"bad_exception", made<std::bad_exception>},
        {"bad_cast", made<std::bad_cast>},
        {"bad_typeid", made<std::bad_typeid>},
        {"bad_weak_ptr", made<std::bad_weak_ptr>},
        {"bad_function_call", made<std::bad_function_call>},
        {"bad_array_new_length", made<std::bad_array_new_length>},
        {"logic_error", [] { return made<std::logic_error>("a message"); }},
        {"domain_error", [] { return made<std::domain_error>("a message"); }},
        {"invalid_argument", [] { return made<std::invalid_argument>("a message"); }},
        {"length_error", [] { return made<std::length_error>("a message"); }},
        {"out_of_range", [] { return made<std::out_of_range>("a message"); }},
        {"future_error", [] { return made<std::future_error>(std::future_errc::no_state); }},
        {"runtime_error", [] { return made<std::runtime_error>("a message"); }},
        {"range_error", [] { return made<std::range_error>("a message"); }},
        {"overflow_error", [] { return made<std::overflow_error>("a message"); }},
        {"underflow_error", [] { return made<std::underflow_error>("a message"); }},
        {"system_error", [] { return made<std::system_error>(1, std::generic_category()); }},
    };
    auto maker = makers.find(name);
    return maker == makers.end() ? Bytes() : maker->second();
}

// The class of a member of an exception class, and what follows it in the name.
static bool member(const std::string &name, std::string &of, std::string &rest) {
    std::size_t at = name.rfind("_ZNKSt", 0) == 0 ? 6 : name.rfind("_ZNSt", 0) == 0 ? 5 : 0;
    char *behind = nullptr;
    unsigned long length = at ? std::strtoul(name.c_str() + at, &behind, 10) : 0;
    if (length == 0)
        return false;
    of = std::string(behind, length);
    rest = behind + length;
    return true;
}

static Call call_of(const std::string &name) {
    const Bytes pointer = made<std::exception_ptr>(std::make_exception_ptr(5));
    const Bytes string = made<std::string>("a string that is too long to be inside of the object");
    std::string of, rest;
    if (member(name, of, rest) && !exception(of).empty()) {
        const Bytes object = exception(of);
        if (rest[0] == 'C' || rest.rfind("aS", 0) == 0) {
            bool is_text = rest.find("EPKc") != std::string::npos, is_string = rest.find("basic_string") != std::string::npos;
            return {{object, is_text ? text("another message") : is_string ? string : exception(of)}, {}};
        }
        return {{object}, {}};
    }
    if (name.rfind("_ZNSt15__exception_ptr13exception_ptr", 0) == 0) {
        void *held;
        std::memcpy(&held, pointer.data(), sizeof held);
        if (name.find("C1EPv") != std::string::npos)
            return {{pointer, {}}, {0, reinterpret_cast<long>(held)}};
        return {{pointer, made<std::exception_ptr>(std::make_exception_ptr(6))}, {}};
    }
    if (name.rfind("_ZNSt13__future_base12_Result_base", 0) == 0) {
        struct Result : std::__future_base::_Result_base {
            void _M_destroy() override {}
            ~Result() override {}
        };
        Bytes object = made<Result>();
        return {{object}, {}};
    }
    if (name.rfind("_ZNSt10_Sp_locker", 0) == 0) {
        static int one, other;
        Bytes keys(2);
        if (name.find("D") != std::string::npos) {
            // Locks that are held.
            using Lock = void (*)(void *, void *);
            reinterpret_cast<Lock>(dlsym(RTLD_DEFAULT, "_ZNSt10_Sp_lockerC1EPKv"))(keys.data(), &one);
            return {{keys}, {}};
        }
        return {{keys, {}, {}}, {0, reinterpret_cast<long>(&one), reinterpret_cast<long>(&other)}};
    }
    if (name.rfind("_ZNSt6thread6_StateD", 0) == 0)
        return {{made<Task>()}, {}};
    if (name.rfind("_ZNSt6thread15_M_start_thread", 0) == 0)
        return {{Bytes(8), made<std::unique_ptr<std::thread::_State>>(new Task), {}}, {0, 0, reinterpret_cast<long>(nothing)}};
    if (name.find("_Prime_rehash_policy") != std::string::npos)
        return {{made<std::__detail::_Prime_rehash_policy>(), {}, {}, {}}, {0, 100, 90, 200}};
    if (name == "_ZSt11_Hash_bytesPKvmm")
        return {{Bytes(8), {}, {}}, {0, 8, 1}};
    if (name == "_ZSt17current_exceptionv")
        return {{Bytes(8)}, {}};
    if (name == "__dynamic_cast")
        return {{made<Derived>(), {}, {}, {}},
                {0, reinterpret_cast<long>(&typeid(Base)), reinterpret_cast<long>(&typeid(Derived)), 0}};
    // Output: of the stream nothing is measured.
    static auto &stream = *new std::ostringstream;
    long output = reinterpret_cast<long>(static_cast<std::ostream *>(&stream));
    if (name == "_ZNSo5writeEPKcl" || name.rfind("_ZSt16__ostream_insert", 0) == 0)
        return {{{}, Bytes(8, 'a'), {}}, {output, 0, 8}};
    if (name.rfind("_ZStlsIcSt11char_traitsIcESaIcEE", 0) == 0)
        return {{{}, string}, {output}};
    if (name == "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc")
        return {{{}, text("a text")}, {output}};
    return {};
}

// Memory with these bytes, of which so many are all that may be accessed.
static long placed(const Bytes &bytes, std::size_t size, bool is_written) {
    const std::size_t page = 4096;
    auto pages = static_cast<unsigned char *>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::memcpy(pages + page - size, bytes.data(), std::min(size, bytes.size()));
    mprotect(pages + page, page, PROT_NONE);
    if (!is_written)
        mprotect(pages, page, PROT_READ);
    return reinterpret_cast<long>(pages + page - size);
}

int main(int, char **words) {
    const std::string name = words[1];
    const std::size_t measured = std::strtoul(words[2], nullptr, 10), size = std::strtoul(words[3], nullptr, 10);
    Call call = call_of(name);
    if (measured >= call.contents.size() || call.contents[measured].empty())
        return 3;
    call.values.resize(4);
    for (std::size_t at = 0; at < call.contents.size(); at++) {
        const Bytes &bytes = call.contents[at];
        if (at == measured)
            call.values[at] = placed(bytes, size ? size : bytes.size(), words[4][0] == 'w');
        else if (!bytes.empty())
            call.values[at] = placed(bytes, bytes.size(), true);
    }
    using Function = long (*)(long, long, long, long);
    auto function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name.c_str()));
    if (!function)
        return 4;
    function(call.values[0], call.values[1], call.values[2], call.values[3]);
    _Exit(0);
}
