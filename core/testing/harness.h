// The core's test harness: TEST(name) { CHECK(...); CHECK_EQ(a, b); }. Every test registers itself; main runs all
// whose name contains the argument, and closes with "N passed, M failed". With `--thorough` some tests look at more cases.
#pragma once

#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace sabna::testing {

struct Test {
    const char* name;
    std::function<void()> body;
};
std::vector<Test>& registry();
void report_failure(const char* file, int line, const std::string& message);
void note(const std::string& message);  // something to be told whatever the outcome
bool thorough();

struct Register {
    Register(const char* name, std::function<void()> body) { registry().push_back({name, std::move(body)}); }
};

template <class A, class B>
void check_equal(const A& a, const B& b, const char* text, const char* file, int line) {
    if (a == b) return;
    std::ostringstream message;
    message << text << ": " << a << " != " << b;
    report_failure(file, line, message.str());
}

}  // namespace sabna::testing

#define TEST(name)                                                             \
    static void test_##name();                                                 \
    static const sabna::testing::Register register_##name(#name, test_##name); \
    static void test_##name()
#define CHECK(condition) ((condition) ? void() : sabna::testing::report_failure(__FILE__, __LINE__, #condition))
#define CHECK_EQ(a, b) sabna::testing::check_equal((a), (b), #a " == " #b, __FILE__, __LINE__)
