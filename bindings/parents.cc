// Parent graphs: dominance pruning and queries of d(i, U).
#include "bindings.h"

namespace sabna::bindings {

void bind_parents(nb::module_&) {}

}  // namespace sabna::bindings
