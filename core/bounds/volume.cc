#include "bounds/volume.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bounds/credit_tables.h"
#include "bounds/separation.h"
#include "parallel.h"

namespace sabna {
namespace {

// New columns of a variable at each pricing, and the pricings that one stays for without being among the best again.
constexpr std::size_t new_columns = 64;
constexpr int column_stays = 10;
// Steps between two pricings.
constexpr int steps_per_round = 30;
// Shares below this are not part of the point; cuts broken by less are not worth a row. Small shares matter: with
// 0.02 the gap that is left on plants.valid with 3 parents is twice as large.
constexpr double least_share = 0.003, least_violation = 0.03;
// A cluster has at most this many members: in trials the gap there was 164 with 24 and 136 with 40, but A* took longer with
// 40 than with 32 (jester.valid with 2 parents).
constexpr int largest_cluster = 32;
// A variable that moved rests for so many moves; every pair is a start of separation once in so many rounds. (Of 4 moves and
// all pairs in every round 15 to 25 % more time for the same.)
constexpr int moves_of_rest = 6, turns_of_pairs = 2;
// Cuts that enter in a round, for each variable.
constexpr int cuts_per_variable = 2;
// Cuts with k = 2 are looked for where few with k = 1 are broken, and after so many rounds that together closed less than
// this share of the gap: there may be many of the others for long, which bring little (accidents.valid with 3 parents).
// Where no set has more than two members it was not seen to pay.
constexpr int rounds_before_pairs = 2;
constexpr double slow_share = 0.05;
// A cluster leaves after so many rounds without weight.
constexpr int row_stays = 2;
// Rounds end when so many together closed less than this share of the gap.
constexpr std::size_t stall_rounds = 15;
constexpr double stall_share = 0.02;
// Fruitless steps in a row that make steps shorter.
constexpr int fruitless_steps = 20;
// The largest and the least share of the newest minimisers in the point.
constexpr double largest_share = 0.1, least_new_share = 0.005;
// Numbers that a step looks at from which on it is shared between threads: some tens of microseconds.
constexpr std::size_t numbers_to_share = 300'000;
// Memory of a variable's columns, generously.
constexpr std::uint64_t bytes_each = std::uint64_t{1} << 18;
// In place of a cost where a line is filled up to whole vectors.
constexpr float no_column = 1e30f;

template <int W>
class Volume {
  public:
    Volume(const ParentGraphView<W>& graph, const std::vector<Cluster<W>>& start, const AscentOptions& options,
           Watch& watch)
        : graph_(graph), options_(options), watch_(watch), team_(options.threads), tables_(graph),
          spaces_(std::size_t(options.threads)), variables_(std::size_t(graph.n)) {
        for (int i = 0; i < graph.n; ++i) base_ += graph.best(i).quanta;
        target_ = double(options.target - base_) / quanta_per_nat;
        for (const Cluster<W>& c : start) add(c.set, c.k, double(c.y) / quanta_per_nat);
        for (std::int64_t p = 0; p < graph.size() && !large_sets_; ++p) large_sets_ = graph.sets_begin[p].size() > 2;
    }

    std::vector<Cluster<W>> run() {
        price();
        std::vector<double> history;
        while (go_on()) {
            history.push_back(best_);
            if (history.size() > stall_rounds) {
                const double before = history[history.size() - 1 - stall_rounds];
                if (best_ - before < stall_share * (target_ - before)) break;
            }
            separate_point();
            step_on();
            drop_idle();
            price();
        }
        return weights();
    }
    std::int64_t work() const { return work_; }

  private:
    struct Row {
        VarSet<W> set;
        int k;
        double y, tried, safe;  // the weight that steps start from, that of the step, that of the best bound
        double missing = 0;     // k less what the point gives
        double broken = 0;      // k less what the minimisers of the step give
        int idle = 0;
    };
    struct Column {
        std::int64_t position;
        double share;
        int round;  // when it was last among the best
    };
    // A variable: its working columns, the clusters that it is in, and for each of these a line of 0 and 1. What is
    // worked out for it, on any thread, is kept with it and put together in the order of the variables.
    struct Variable {
        std::vector<Column> columns;
        std::vector<float> costs, reduced, credits;
        std::vector<std::uint32_t> rows;
        std::vector<float> taken;  // of each row: what the chosen column gives
        std::size_t chosen = 0;
        double value = 0;
        std::int64_t work = 0;
    };
    using Priced = std::vector<std::pair<std::int64_t, std::int64_t>>;  // reduced cost, position

    bool go_on() {
        Progress progress;
        progress.station = "volume";
        progress.finished = work_;
        progress.total = options_.work;
        return best_ < target_ && work_ < options_.work && watch_.poll(progress);
    }
    double nats(int i, std::int64_t p) const {
        return double(graph_.costs_begin[p].quanta - graph_.best(i).quanta) / quanta_per_nat;
    }
    static std::int64_t quanta(double y) { return std::int64_t(std::floor(y * quanta_per_nat)); }
    void add(const VarSet<W>& set, int k, double y) { rows_.push_back({set, k, y, y, y}); }
    // False: the watch stopped before all was done.
    template <class Work>
    bool over_variables(const Work& work) {
        const bool all = for_each_block(
            options_.threads, graph_.n, watch_, [&](int thread, std::int64_t i) { work(thread, int(i)); },
            [] { return true; });
        collect_work();
        return all;
    }
    void collect_work() {
        for (Variable& variable : variables_) work_ += std::exchange(variable.work, 0);
    }

    // The bound under the weights, over all sets; working columns for the next steps. Weights too large for sums in quanta
    // are not tried.
    void price() {
        for (Variable& variable : variables_) variable.rows.clear();
        if (too_heavy()) {
            for (Row& row : rows_) row.y = row.safe;
            shorten(0.5);
        }
        double value = 0;
        for (std::uint32_t r = 0; r < rows_.size(); ++r) {
            value += rows_[r].k * rows_[r].y;
            rows_[r].set.for_each([&](int i) { variables_[std::size_t(i)].rows.push_back(r); });
        }
        if (!over_variables([&](int thread, int i) { price(i, spaces_[std::size_t(thread)]); })) return;
        for (const Variable& variable : variables_) value += variable.value;
        if (round_ == 0 || value > best_) {
            best_ = value;
            for (Row& row : rows_) row.safe = row.y;
        } else if (value < best_) {
            for (Row& row : rows_) row.y = row.safe;
            shorten(0.5);
        }
        ++round_;
        measure_point();
    }
    void price(int i, typename CreditTables<W>::Space& space) {
        Variable& variable = variables_[std::size_t(i)];
        std::vector<Cluster<W>> clusters;
        for (const std::uint32_t r : variable.rows)
            if (rows_[r].y > 0) clusters.push_back({rows_[r].set, rows_[r].k, quanta(rows_[r].y)});
        tables_.reduce(i, clusters, space);
        variable.work += space.operations;
        std::int64_t limit = std::numeric_limits<std::int64_t>::max();  // what is above is not among the new columns
        Priced priced;
        for (std::size_t p = 0; p < space.reduced.size(); ++p) {
            if (space.reduced[p] > limit) continue;
            priced.push_back({space.reduced[p], graph_.offsets[i] + std::int64_t(p)});
            if (priced.size() == 2 * new_columns) limit = keep_best(priced);
        }
        keep_best(priced);
        const std::int64_t least = std::min_element(priced.begin(), priced.end())->first;
        variable.value = double(least - graph_.best(i).quanta) / quanta_per_nat;
        renew_columns(i, priced);
    }
    // Of what is priced, the new columns; the largest of their values.
    static std::int64_t keep_best(Priced& priced) {
        if (priced.size() < new_columns) return std::numeric_limits<std::int64_t>::max();
        std::nth_element(priced.begin(), priced.begin() + new_columns - 1, priced.end());
        priced.resize(new_columns);
        return priced.back().first;
    }

    // Working columns: those of least value now, those of the last rounds, and those of the point.
    void renew_columns(int i, const Priced& priced) {
        Variable& variable = variables_[std::size_t(i)];
        std::vector<Column> columns;
        double total = 0;
        for (std::size_t c = 0; c < variable.columns.size(); ++c) {
            Column column = variable.columns[c];
            if (variable.costs[c] == no_column) continue;
            if (column.share < least_share / 10) column.share = 0;
            if (column.share == 0 && column.round + column_stays <= round_) continue;
            columns.push_back(column);
            total += column.share;
        }
        const auto known = std::ptrdiff_t(columns.size());
        for (const auto& [value, p] : priced) {
            const auto end = columns.begin() + known;
            const auto at = std::find_if(columns.begin(), end, [&](const Column& c) { return c.position == p; });
            if (at == end) columns.push_back({p, 0, round_});
            else at->round = round_;
        }
        if (total == 0) columns.front().share = total = 1;
        for (Column& column : columns) column.share /= total;
        variable.columns = std::move(columns);
        lay_out(i);
    }
    void lay_out(int i) {
        Variable& variable = variables_[std::size_t(i)];
        variable.costs.clear();
        for (const Column& column : variable.columns) variable.costs.push_back(float(nats(i, column.position)));
        while (variable.costs.size() % 8) {
            variable.costs.push_back(no_column);
            variable.columns.push_back({variable.columns.front().position, 0, 0});
        }
        variable.reduced.resize(variable.costs.size());
        variable.credits.assign(variable.rows.size() * variable.costs.size(), 0);
        for (std::size_t r = 0; r < variable.rows.size(); ++r) lay_out_row(variable, r);
    }
    void lay_out_row(Variable& variable, std::size_t r) {
        const Row& row = rows_[variable.rows[r]];
        const Cluster<W> cluster{row.set, row.k, 0};
        const std::size_t size = variable.costs.size();
        for (std::size_t c = 0; c < size; ++c)
            variable.credits[r * size + c] =
                variable.costs[c] != no_column && cluster.credits(graph_.sets_begin[variable.columns[c].position]);
        variable.work += std::int64_t(size);
    }
    void measure_point() {
        for (Row& row : rows_) row.missing = row.k;
        for (const Variable& variable : variables_)
            for (std::size_t r = 0; r < variable.rows.size(); ++r)
                for (std::size_t c = 0; c < variable.columns.size(); ++c)
                    rows_[variable.rows[r]].missing -=
                        variable.columns[c].share * double(variable.credits[r * variable.columns.size() + c]);
    }

    // The bound under the tried weights, over the working columns; marks every variable's minimiser.
    double evaluate() {
        std::size_t numbers = 0;
        for (const Variable& variable : variables_) numbers += variable.credits.size();
        const auto work = [&](int, int i) { choose(variables_[std::size_t(i)]); };
        if (numbers >= numbers_to_share) team_.run(graph_.n, work);
        else
            for (int i = 0; i < graph_.n; ++i) work(0, i);
        collect_work();
        double value = 0;
        for (Row& row : rows_) value += row.k * row.tried, row.broken = row.k;
        for (const Variable& variable : variables_) {
            value += variable.value;
            for (std::size_t r = 0; r < variable.rows.size(); ++r)
                rows_[variable.rows[r]].broken -= double(variable.taken[r]);
        }
        return value;
    }
    void choose(Variable& variable) const {
        const std::size_t size = variable.costs.size();
        float* reduced = variable.reduced.data();
        std::copy(variable.costs.begin(), variable.costs.end(), reduced);
        for (std::size_t r = 0; r < variable.rows.size(); ++r) {
            const float y = float(rows_[variable.rows[r]].tried);
            if (y == 0) continue;
            const float* credit = variable.credits.data() + r * size;
#pragma omp simd
            for (std::size_t c = 0; c < size; ++c) reduced[c] -= y * credit[c];
        }
        float least = reduced[0];
#pragma omp simd reduction(min : least)
        for (std::size_t c = 0; c < size; ++c) least = std::min(least, reduced[c]);
        variable.chosen = std::size_t(std::find(reduced, reduced + size, least) - reduced);
        variable.value = double(reduced[variable.chosen]);
        variable.taken.resize(variable.rows.size());
        for (std::size_t r = 0; r < variable.rows.size(); ++r)
            variable.taken[r] = variable.credits[r * size + variable.chosen];
        variable.work += std::int64_t((variable.rows.size() + 2) * size) / 8;
    }

    // What the new minimisers are to have of the point: what makes it break the cuts least, within limits.
    double share_of_new() const {
        double square = 0, product = 0;
        for (const Row& row : rows_) {
            const double d = row.broken - row.missing;
            square += d * d;
            product -= row.missing * d;
        }
        return square > 0 ? std::clamp(product / square, least_new_share, largest_share) : largest_share;
    }
    bool too_heavy() const {
        double total = 0;
        for (const Row& row : rows_) total += row.y * row.set.size();
        return total * quanta_per_nat >= double(largest_total);
    }
    void shorten(double by) { factor_ = std::max(factor_ * by, 1e-4); }

    void step_on() {
        double centre = best_;
        int fruitless = 0;
        for (int step = 0; step < steps_per_round; ++step) {
            double norm = 0;
            for (const Row& row : rows_)
                if (row.y > 0 || row.missing > 0) norm += row.missing * row.missing;
            if (norm < 1e-12) return;
            const double length = factor_ * std::max(target_ - centre, 1e-6) / norm;
            for (Row& row : rows_) row.tried = std::max(0.0, row.y + length * row.missing);
            const double value = evaluate();
            if (watch_.stopped()) return;
            double along = 0;
            for (const Row& row : rows_) along += row.missing * row.broken;
            average(share_of_new());
            if (value > centre) {
                centre = value;
                for (Row& row : rows_) row.y = row.tried;
                fruitless = 0;
                if (along > 0) factor_ = std::min(2.0, factor_ * 1.1);
            } else if (++fruitless % fruitless_steps == 0) {
                shorten(0.66);
            }
        }
    }
    void average(double share) {
        for (Row& row : rows_) row.missing += share * (row.broken - row.missing);
        for (Variable& variable : variables_) {
            for (Column& column : variable.columns) column.share *= 1 - share;
            variable.columns[variable.chosen].share += share;
        }
    }

    bool pairs_are_due() {
        if (!large_sets_ || round_ % rounds_before_pairs != 0) return false;
        const double before = std::exchange(looked_at_, best_);
        return best_ - before < slow_share * (target_ - best_);
    }

    // Clusters whose cuts the point breaks.
    void separate_point() {
        std::vector<Share<W>> point;
        for (int i = 0; i < graph_.n; ++i)
            for (const Column& column : variables_[std::size_t(i)].columns)
                if (column.share >= least_share) point.push_back({i, graph_.sets_begin[column.position], column.share});
        SeparationOptions options{.k = 1,
                                  .least_violation = least_violation,
                                  .most = std::size_t(cuts_per_variable * graph_.n),
                                  .largest = largest_cluster,
                                  .one_of_each_start = true,
                                  .rest = moves_of_rest,
                                  .pair_turns = turns_of_pairs,
                                  .turn = round_,
                                  .threads = options_.threads};
        std::vector<Cut<W>> cuts = separate<W>(graph_.n, point, options, watch_);
        if (cuts.size() < std::size_t(graph_.n) / 4 || pairs_are_due()) {
            options.k = 2;
            for (const Cut<W>& cut : separate<W>(graph_.n, point, options, watch_)) cuts.push_back(cut);
        }
        work_ += std::int64_t(point.size()) * graph_.n * 30;
        const auto known = std::ptrdiff_t(rows_.size());
        for (const Cut<W>& cut : cuts) {
            if (std::any_of(rows_.begin(), rows_.begin() + known,
                            [&](const Row& row) { return row.set == cut.set && row.k == cut.k; }))
                continue;
            add(cut.set, cut.k, 0);
            rows_.back().missing = cut.violation;
            cut.set.for_each([&](int i) {
                Variable& variable = variables_[std::size_t(i)];
                variable.rows.push_back(std::uint32_t(rows_.size() - 1));
                variable.credits.resize(variable.rows.size() * variable.costs.size());
                lay_out_row(variable, variable.rows.size() - 1);
            });
        }
    }
    void drop_idle() {
        for (Row& row : rows_) row.idle = row.y > 0 || row.safe > 0 ? 0 : row.idle + 1;
        std::erase_if(rows_, [](const Row& row) { return row.idle > row_stays; });
    }

    std::vector<Cluster<W>> weights() const {
        std::vector<Cluster<W>> clusters;
        for (const Row& row : rows_) {
            if (const std::int64_t y = quanta(row.safe); y > 0) clusters.push_back({row.set, row.k, y});
        }
        return clusters;
    }

    const ParentGraphView<W>& graph_;
    const AscentOptions& options_;
    Watch& watch_;
    StandingTeam team_;
    const CreditTables<W> tables_;
    std::vector<typename CreditTables<W>::Space> spaces_;  // of each thread
    std::vector<Variable> variables_;
    std::vector<Row> rows_;
    std::int64_t base_ = 0, work_ = 0;  // the bound without weights
    double target_ = 0, best_ = 0;      // nats above it
    bool large_sets_ = false;           // whether some set has more than two members
    double looked_at_ = -1e300;         // the bound when pairs were last thought of
    double factor_ = 0.05;
    int round_ = 0;
};

}  // namespace

template <int W>
AscentResult<W> volume_ascent(const ParentGraphView<W>& graph, std::vector<Cluster<W>> start,
                              const AscentOptions& options, Watch& watch) {
    AscentResult<W> result{std::move(start), 0, 0};
    result.bound = reduced_costs(graph, result.clusters).bound;
    const std::uint64_t bytes = bytes_each * std::uint64_t(graph.n) + CreditTables<W>::bytes(graph, options.threads);
    const bool empty = std::adjacent_find(graph.offsets, graph.offsets + graph.n + 1) != graph.offsets + graph.n + 1;
    if (empty || result.bound >= options.target || !watch.try_reserve(bytes)) return result;
    Volume<W> volume(graph, result.clusters, options, watch);
    std::vector<Cluster<W>> found = volume.run();
    watch.release(bytes);
    result.work = volume.work();
    const std::int64_t bound = reduced_costs(graph, found).bound;
    if (bound > result.bound) result.bound = bound, result.clusters = std::move(found);
    return result;
}

#define SABNA_INSTANTIATE(W)                                                                      \
    template AscentResult<W> volume_ascent<W>(const ParentGraphView<W>&, std::vector<Cluster<W>>, \
                                              const AscentOptions&, Watch&);
SABNA_EACH_WIDTH(SABNA_INSTANTIATE)
#undef SABNA_INSTANTIATE

}  // namespace sabna
