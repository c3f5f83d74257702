// Prior knowledge from Python: the arrays of sabna.parents.knowledge.Constraints.
#pragma once

#include "bindings.h"
#include "parents/knowledge.h"

namespace sabna::bindings {

template <int W>
KnowledgeView<W> knowledge_view(const Words& required, const Words& allowed, const Array1<std::int32_t>& limits) {
    const std::size_t n = limits.shape(0);
    if (required.shape(0) != n || allowed.shape(0) != n || required.shape(1) != W || allowed.shape(1) != W)
        throw std::invalid_argument("prior knowledge: the shapes of its arrays do not fit together");
    return {int(n), reinterpret_cast<const VarSet<W>*>(required.data()),
            reinterpret_cast<const VarSet<W>*>(allowed.data()), limits.data()};
}

}  // namespace sabna::bindings
