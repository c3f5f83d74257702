// The native module. It exists twice, see CMakeLists.txt; sabna._native chooses.
#include "bindings.h"

namespace {

bool cpu_supports_v3() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("x86-64-v3");
#else
    return false;
#endif
}

}  // namespace

NB_MODULE(SABNA_MODULE, m) {
    using namespace sabna::bindings;
    m.doc() = "The native core of sabna. Use the functions of the package instead.";
    m.def("cpu_supports_v3", &cpu_supports_v3, "Whether this machine can run the x86-64-v3 build of the core.");
    bind_parents(m);
    bind_alternatives(m);
    bind_gaussian(m);
    bind_search(m);
    bind_lattice(m);
    bind_bounds(m);
    bind_dense(m);
}
