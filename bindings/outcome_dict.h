// Networks and outcomes of searches as Python dictionaries.
#pragma once

#include "bindings.h"
#include "search/outcome.h"

namespace sabna::bindings {

// `known` says whether there is a network of all n variables, not a bare cost.
inline nb::dict network_dict(Assignment&& network, int n) {
    nb::dict d;
    d["known"] = network.known() && int(network.order.size()) == n;
    d["cost"] = network.cost.quanta;
    d["order"] = nb::cast(std::move(network.order));
    d["choice"] = to_numpy(std::move(network.choice));
    return d;
}

inline nb::dict outcome_dict(Outcome&& outcome, int n) {
    nb::dict d = network_dict(std::move(outcome.best), n);
    d["stop"] = int(outcome.stop);
    d["lower"] = outcome.lower.quanta;
    d["expanded"] = outcome.counts.expanded;
    d["generated"] = outcome.counts.generated;
    d["stored"] = outcome.counts.stored;
    d["pruned"] = outcome.counts.pruned;
    d["bytes_per_node"] = outcome.bytes_per_node;
    d["peak_bytes"] = outcome.peak_bytes;
    return d;
}

}  // namespace sabna::bindings
