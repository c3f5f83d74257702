// Prior knowledge as the builders take it: per variable the parents it must have, those it may have, and how many.
#pragma once

#include <cstdint>

#include "varset.h"

namespace sabna {

template <int W>
struct KnowledgeView {
    int n = 0;
    const VarSet<W>* required = nullptr;   // n sets; a subset of `allowed`
    const VarSet<W>* allowed = nullptr;    // n sets; i itself is not in its own
    const std::int32_t* limits = nullptr;  // n numbers; at least the size of `required`
};

}  // namespace sabna
