#include "posterior/sampling.h"

#include <bit>
#include <map>

namespace sabna {

namespace {

using Set = std::uint32_t;

// Random numbers of one draw: splitmix64 (Steele, Lea, Flood 2014).
class Random {
  public:
    Random(std::uint64_t seed, std::uint64_t draw) : state_(mixed(seed) ^ mixed(~draw)) {}
    // In [0, 1), with 53 bits.
    double next() { return double(mixed(state_ += 0x9E3779B97F4A7C15ull) >> 11) * 0x1p-53; }

  private:
    static std::uint64_t mixed(std::uint64_t z) {
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ z >> 27) * 0x94D049BB133111EBull;
        return z ^ z >> 31;
    }
    std::uint64_t state_;
};

// Draws one of several things offered in turn, with their weights, when the sum of all weights is known.
class Draw {
  public:
    Draw(const Wide& total, Random& random) : left_(total * Wide::of(random.next())) {}
    // True: this one. The last with a weight above 0 is kept aside: rounding may leave a rest.
    bool take(std::int64_t what, const Wide& weight) {
        if (!(weight.hi > 0)) return false;
        taken = what;
        if (left_ < weight) return true;
        left_ = left_ - weight;
        return false;
    }
    std::int64_t taken = -1;

  private:
    Wide left_;
};

bool poll(Watch& watch, std::int64_t finished, std::int64_t total) {
    Progress progress;
    progress.station = "sampling";
    progress.finished = finished;
    progress.total = total;
    return watch.poll(progress);
}

class UniformSampler {
  public:
    UniformSampler(const ParentGraphView<1>& graph, const FamilySums& sums, const std::vector<Wide>& forward,
                   std::int64_t count, std::uint64_t seed, Watch& watch)
        : graph_(graph), sums_(sums), H_(forward), watch_(watch) {
        out_.choices.resize(std::size_t(count) * std::size_t(graph.n));
        std::vector<Member> everyone;
        for (std::int64_t k = 0; k < count; ++k) everyone.push_back({k, 0, Random(seed, std::uint64_t(k))});
        const Set all = Set((std::uint64_t{1} << graph.n) - 1);
        out_.done = go_on(all, without_sinks(all), everyone);
    }
    Sampled take() { return std::move(out_); }

  private:
    struct Member {
        std::int64_t draw;
        Set no_sinks;  // F
        Random random;
    };

    // Y_U of all subsets, numbered by their places in U.
    std::vector<Wide> without_sinks(Set U) const {
        const std::size_t count = std::size_t{1} << std::popcount(U);
        std::vector<Wide> Y(count);
        Set S = 0;
        for (std::size_t k = 0; k < count; ++k, S = (S - U) & U) {
            Wide Q = H_[U & ~S];
            for (Set rest = S; rest; rest &= rest - 1) Q *= sums_.at(std::countr_zero(rest), U & ~S);
            Y[k] = std::popcount(S) % 2 ? -Q : Q;
        }
        for (std::size_t bit = 1; bit < count; bit <<= 1)
            for (std::size_t k = 0; k < count; ++k)
                if (k & bit) Y[k] += Y[k ^ bit];
        return Y;
    }

    // The place of F among the subsets of U.
    static std::size_t place(Set F, Set U) {
        std::size_t at = 0, bit = 1;
        for (; U; U &= U - 1, bit <<= 1)
            if (F & U & (~U + 1)) at |= bit;
        return at;
    }

    // Draws the rest over U for all members; false if the watch stopped it.
    bool go_on(Set U, const std::vector<Wide>& Y, std::vector<Member>& members) {
        if (!poll(watch_, finished_, std::int64_t(out_.choices.size()) / graph_.n)) return false;
        if (!U) {
            finished_ += std::int64_t(members.size());
            return true;
        }
        struct Chosen {
            Member member;
            Set ruled_out;  // R
            Wide weight;
        };
        std::map<int, std::vector<Chosen>> by_sink;
        for (Member& member : members) {
            Set R = member.no_sinks, chosen_R = R;
            Wide rest = Y[place(R, U)], weight;
            Draw draw(rest, member.random);
            for (Set left = U & ~R; left;) {
                const int j = 31 - std::countl_zero(left);
                const Set with = R | Set{1} << j;
                const Wide after = Y[place(with, U)], here = rest - after;
                const bool taken = draw.take(j, here);
                if (draw.taken == j) chosen_R = R, weight = here;
                if (taken) break;
                left &= ~(Set{1} << j);
                R = with, rest = after;
            }
            by_sink[int(draw.taken)].push_back({member, chosen_R, weight});
        }
        for (auto& [sink, group] : by_sink) {
            const Set rest = U & ~(Set{1} << sink);
            const std::vector<Wide> Y_rest = without_sinks(rest);
            std::vector<Member> next;
            for (Chosen& c : group) {
                const Set P = draw_parents(sink, rest, Y_rest, c.ruled_out, c.weight, c.member);
                next.push_back({c.member.draw, c.ruled_out & ~P, c.member.random});
            }
            std::vector<Chosen>().swap(group);
            if (!go_on(rest, Y_rest, next)) return false;
        }
        return true;
    }

    Set draw_parents(int j, Set U, const std::vector<Wide>& Y, Set ruled_out, const Wide& total, Member& member) {
        Draw draw(total, member.random);
        const auto sets = graph_.sets(j);
        for (std::size_t k = 0; k < sets.size(); ++k) {
            const Set P = Set(sets[k].word[0]);
            if (P & ~U) continue;
            if (draw.take(std::int64_t(k), sums_.weight(j, std::int64_t(k)) * Y[place(ruled_out & ~P, U)])) break;
        }
        out_.choices[std::size_t(member.draw) * std::size_t(graph_.n) + std::size_t(j)] = draw.taken;
        return Set(sets[std::size_t(draw.taken)].word[0]);
    }

    const ParentGraphView<1>& graph_;
    const FamilySums& sums_;
    const std::vector<Wide>& H_;
    Watch& watch_;
    Sampled out_;
    std::int64_t finished_ = 0;
};

}  // namespace

Sampled sample_orders(const ParentGraphView<1>& graph, const FamilySums& sums, const std::vector<Wide>& forward,
                      std::int64_t count, std::uint64_t seed, Watch& watch) {
    Sampled out;
    const std::size_t n = std::size_t(graph.n);
    out.choices.resize(std::size_t(count) * n);
    for (std::int64_t k = 0; k < count; ++k) {
        if (!poll(watch, k, count)) return out;
        Random random(seed, std::uint64_t(k));
        for (Set U = Set((std::uint64_t{1} << n) - 1); U;) {
            Draw last(forward[U], random);
            for (Set rest = U; rest; rest &= rest - 1) {
                const int i = std::countr_zero(rest);
                const Set before = U ^ Set { 1 } << i;
                if (last.take(i, sums.at(i, before) * forward[before])) break;
            }
            const int i = int(last.taken);
            U ^= Set{1} << i;
            Draw parents(sums.at(i, U), random);
            for (std::int64_t s = 0; s < graph.size(i); ++s)
                if (!(graph.sets(i)[std::size_t(s)].word[0] & ~std::uint64_t{U}) && parents.take(s, sums.weight(i, s)))
                    break;
            out.choices[std::size_t(k) * n + std::size_t(i)] = parents.taken;
        }
    }
    out.done = true;
    return out;
}

Sampled sample_uniform(const ParentGraphView<1>& graph, const FamilySums& sums, const std::vector<Wide>& forward,
                       std::int64_t count, std::uint64_t seed, Watch& watch) {
    return UniformSampler(graph, sums, forward, count, seed, watch).take();
}

}  // namespace sabna
