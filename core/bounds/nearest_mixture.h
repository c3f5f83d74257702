// The mixture of networks of a small group that lies nearest to a point.
//
// Idea. A point gives the members of a group shares of families: what a parent set has inside the group. Points that a
// linear program may end at and that no mixture of networks of the group makes up can be cut off; the mixture nearest to
// the point says by which cut. With y = nearest - point, every network q of the group has y q >= y nearest, and the point
// has y point = y nearest - |y|^2 < y nearest.
//
// How. Wolfe's algorithm (1976) keeps some networks whose mixtures are flat around the nearest point so far, and asks for
// the network least in direction y: a recursion over the subsets of the group. If that network is no nearer than the
// mixture, the mixture is the nearest of all; else it joins, and networks that then have no share leave.
//
// Floating-point throughout: whoever makes a cut of it works out its right side in integers (local_cuts.h).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace sabna {

// Larger groups have tables of a megabyte, and cuts that no longer fit on a page.
inline constexpr int most_in_local_group = 12;

// The families of the members of a group. Member i has those at start[i]:start[i + 1]; bit j of a mask stands for member
// j, and bit i is in none of member i's.
struct GroupFamilies {
    int size = 0;
    std::vector<int> start;
    std::vector<std::uint32_t> mask;
};

// One family of every member.
using GroupNetwork = std::array<int, most_in_local_group>;

// The least sum of costs, one for every family, that a network of the group can have, and which it is. A member can have
// a family once all of the mask's members come before it. Each has one with an empty mask.
template <class T>
class LeastNetwork {
  public:
    explicit LeastNetwork(const GroupFamilies& families);
    T find(const std::vector<T>& cost, GroupNetwork& network);

  private:
    template <std::size_t lanes>
    void spread();

    const GroupFamilies& families_;
    std::size_t lanes_;     // of fit_: members, and some more for whole vectors of them
    std::vector<T> total_;  // [set of members]
    std::vector<T> fit_;    // [set of members that come before][member]
};

extern template class LeastNetwork<double>;
extern template class LeastNetwork<std::int64_t>;

// nearest - point, for a point with a share of every family; empty if they are next to each other.
std::vector<double> towards_nearest_mixture(const GroupFamilies& families, const std::vector<double>& point,
                                            int most_steps);

}  // namespace sabna
