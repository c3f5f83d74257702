// The functions about zero-half cuts; called by module.cc.
#pragma once

#include <nanobind/nanobind.h>

namespace sabna::bindings {

void bind_zero_half(nanobind::module_& m);

}  // namespace sabna::bindings
