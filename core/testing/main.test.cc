#include "testing/harness.h"

namespace sabna::testing {

static int failures_of_current = 0;

std::vector<Test>& registry() {
    static std::vector<Test> tests;
    return tests;
}

void report_failure(const char* file, int line, const std::string& message) {
    if (++failures_of_current <= 5) std::cerr << file << ":" << line << ": " << message << "\n";
}

}  // namespace sabna::testing

int main(int argc, char** argv) {
    using namespace sabna::testing;
    const std::string filter = argc > 1 ? argv[1] : "";
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
