#include <atomic>
#include <cstring>

#include "testing/harness.h"

namespace sabna::testing {

static std::atomic<int> failures_of_current = 0;
static bool is_thorough = false;

std::vector<Test>& registry() {
    static std::vector<Test> tests;
    return tests;
}

void report_failure(const char* file, int line, const std::string& message) {
    if (++failures_of_current <= 5) std::cerr << file << ":" << line << ": " << message << "\n";
}

void note(const std::string& message) { std::cout << message << std::endl; }

bool thorough() { return is_thorough; }

}  // namespace sabna::testing

int main(int argc, char** argv) {
    using namespace sabna::testing;
    std::string filter;
    for (int k = 1; k < argc; ++k) {
        if (std::strcmp(argv[k], "--thorough") == 0) is_thorough = true;
        else filter = argv[k];
    }
    int passed = 0, failed = 0;
    for (const Test& test : registry()) {
        if (std::string(test.name).find(filter) == std::string::npos) continue;
        failures_of_current = 0;
        test.body();
        if (failures_of_current) std::cerr << "FAILED " << test.name << "\n";
        ++(failures_of_current ? failed : passed);
    }
    std::cout << passed << " passed, " << failed << " failed" << std::endl;
    return failed || !passed;
}
