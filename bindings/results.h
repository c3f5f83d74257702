// Results of the core as Python classes, under the names the core has for them.
//
// What a result holds stays where it is: its arrays are views into it, and each keeps it alive.
#pragma once

#include "bindings.h"
#include "search/outcome.h"

namespace sabna::bindings {

template <class T>
using NumpyArray = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using NumpySets = nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<2>>;

template <class T>
NumpyArray<T> view_of(std::vector<T>& values, nb::handle owner) {
    return {values.data(), {values.size()}, owner};
}
inline NumpyArray<std::int64_t> view_of(std::vector<Cost>& costs, nb::handle owner) {
    return {reinterpret_cast<std::int64_t*>(costs.data()), {costs.size()}, owner};
}
inline NumpySets view_of(SetRows& rows, nb::handle owner) {
    return {rows.words.data(), {rows.words.size() / rows.width, rows.width}, owner};
}

// A property that is an array: a member of the result.
template <class Result, class Values>
auto array_of(Values Result::*member) {
    return [member](nb::handle_t<Result> self) { return view_of(nb::cast<Result&>(self).*member, self); };
}

// What a builder made of a table: the parent graph, or what a limit left of it, and the floor of the sets not scored.
struct Built : GraphArrays {
    std::vector<Cost> floor;
    std::int64_t evaluated = 0, counted = 0;
    std::uint64_t peak_bytes = 0;
    Stop stop = Stop::none;
};

}  // namespace sabna::bindings
