// The native module. It exists for two kinds of machines, see CMakeLists.txt; sabna._native chooses.
#include "bindings.h"
#include "zero_half.h"

NB_MODULE(SABNA_MODULE, m) {
    using namespace sabna::bindings;
    // What threads or an unfinished run still hold when the interpreter ends is no news for who used the program.
    nb::set_leak_warnings(false);
    m.doc() = "The native core of sabna. Use the functions of the package instead.";
    bind_results(m);
    bind_parents(m);
    bind_levels(m);
    bind_alternatives(m);
    bind_gaussian(m);
    bind_mixed(m);
    bind_search(m);
    bind_layer_files(m);
    bind_child_by_child(m);
    bind_bounds(m);
    bind_dense(m);
    bind_posterior(m);
    bind_zero_half(m);
    bind_local_cuts(m);
}
