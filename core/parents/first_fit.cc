#include "parents/first_fit.h"

#include <optional>

namespace sabna {

template <int W>
FitIndex<W>::FitIndex(const ParentGraphView<W>& graph)
    : graph_(graph), sliced_(std::size_t(graph.n), SlicedList<W>(graph.n)) {
    for (int i = 0; i < graph.n; ++i)
        if (graph.size(i) >= sliced_from)
            for (const VarSet<W>& set : graph.sets(i)) sliced_[std::size_t(i)].push_back(set);
}

template <int W>
std::vector<std::int64_t> first_fits(const ParentGraphView<W>& graph, std::span<const std::int64_t> variables,
                                     std::span<const VarSet<W>> available, bool indexed) {
    std::optional<FitIndex<W>> index;
    if (indexed) index.emplace(graph);
    std::vector<std::int64_t> found;
    for (std::size_t k = 0; k < variables.size(); ++k) {
        const int i = int(variables[k]);
        const std::int64_t at = index ? index->find(i, available[k]) : first_fit(graph, i, available[k]);
        found.push_back(at == graph.size(i) ? -1 : graph.offsets[i] + at);
    }
    return found;
}

#define SABNA_INSTANTIATE(W)                                                                                \
    template FitIndex<W>::FitIndex(const ParentGraphView<W>&);                                              \
    template std::vector<std::int64_t> first_fits(const ParentGraphView<W>&, std::span<const std::int64_t>, \
                                                  std::span<const VarSet<W>>, bool);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
