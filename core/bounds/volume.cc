#include "bounds/volume.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bounds/separation.h"

namespace sabna {
namespace {

// New columns of a variable at each pricing, and the pricings that one stays for without being among the best again.
constexpr std::size_t new_columns = 64;
constexpr int column_stays = 10;
// Steps between two pricings.
constexpr int steps_per_round = 30;
// Shares below this are not part of the point; cuts broken by less are not worth a row.
constexpr double least_share = 0.02, least_violation = 0.03;
// Cuts with k = 2 are looked for where few with k = 1 are broken, and after so many rounds that together closed less than
// this share of the gap: there may be many of the others for long, which bring little (accidents.valid with 3 parents).
// Where no set has more than two members it was not seen to pay.
constexpr int rounds_before_pairs = 4;
constexpr double slow_share = 0.05;
// A cluster leaves after so many rounds without weight.
constexpr int row_stays = 4;
// Rounds end when so many together closed less than this share of the gap.
constexpr std::size_t stall_rounds = 15;
constexpr double stall_share = 0.02;
// Fruitless steps in a row that make steps shorter.
constexpr int fruitless_steps = 20;
// Memory of a variable's columns, generously.
constexpr std::uint64_t bytes_each = std::uint64_t{1} << 18;
// In place of a cost where a line is filled up to whole vectors.
constexpr float no_column = 1e30f;

template <int W>
class Volume {
  public:
    Volume(const ParentGraphView<W>& graph, const std::vector<Cluster<W>>& start, const AscentOptions& options,
           Watch& watch)
        : graph_(graph), options_(options), watch_(watch), variables_(std::size_t(graph.n)) {
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
    // A variable: its working columns, the clusters that it is in, and for each of these a line of 0 and 1.
    struct Variable {
        std::vector<Column> columns;
        std::vector<float> costs, reduced, credits;
        std::vector<std::uint32_t> rows;
        std::size_t chosen = 0;
    };

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
    void add(const VarSet<W>& set, int k, double y) { rows_.push_back({set, k, y, y, y}); }

    // The bound under the weights, over all sets; working columns for the next steps.
    void price() {
        for (Variable& variable : variables_) variable.rows.clear();
        double value = 0;
        for (std::uint32_t r = 0; r < rows_.size(); ++r) {
            value += rows_[r].k * rows_[r].y;
            rows_[r].set.for_each([&](int i) { variables_[std::size_t(i)].rows.push_back(r); });
        }
        for (int i = 0; i < graph_.n; ++i) value += price(i);
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
    double price(int i) {
        const Variable& variable = variables_[std::size_t(i)];
        std::vector<Cluster<W>> ones, twos;  // clusters with weight, by k
        std::vector<double> y_of_ones, y_of_twos;
        double credit = 0, least = 1e300;
        for (const std::uint32_t r : variable.rows) {
            const Row& row = rows_[r];
            if (row.y <= 0) continue;
            credit += row.y;
            (row.k == 1 ? ones : twos).push_back({row.set, row.k, 0});
            (row.k == 1 ? y_of_ones : y_of_twos).push_back(row.y);
        }
        const double room = std::max(target_ - best_, 0.0);
        priced_.clear();
        for (std::int64_t p = graph_.offsets[i]; p < graph_.offsets[i + 1]; ++p) {
            double value = nats(i, p);
            if (value - credit > least + room) break;
            const VarSet<W>& set = graph_.sets_begin[p];
            for (std::size_t c = 0; c < ones.size(); ++c)
                if (!set.intersects(ones[c].set)) value -= y_of_ones[c];
            for (std::size_t c = 0; c < twos.size(); ++c)
                if (twos[c].credits(set)) value -= y_of_twos[c];
            least = std::min(least, value);
            priced_.push_back({value, p});
        }
        work_ += std::int64_t(priced_.size() * (1 + ones.size() + twos.size()));
        renew_columns(i);
        return least;
    }

    // Working columns: those of least value now, those of the last rounds, and those of the point.
    void renew_columns(int i) {
        Variable& variable = variables_[std::size_t(i)];
        if (priced_.size() > new_columns) {
            std::nth_element(priced_.begin(), priced_.begin() + new_columns, priced_.end());
            priced_.resize(new_columns);
        }
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
        for (const auto& [value, p] : priced_) {
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
        work_ += std::int64_t(size);
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
        double value = 0;
        for (Row& row : rows_) value += row.k * row.tried, row.broken = row.k;
        for (Variable& variable : variables_) {
            const std::size_t size = variable.costs.size();
            float* reduced = variable.reduced.data();
            std::copy(variable.costs.begin(), variable.costs.end(), reduced);
            for (std::size_t r = 0; r < variable.rows.size(); ++r) {
                const float y = float(rows_[variable.rows[r]].tried);
                if (y == 0) continue;
                const float* credit = variable.credits.data() + r * size;
                for (std::size_t c = 0; c < size; ++c) reduced[c] -= y * credit[c];
            }
            variable.chosen = std::size_t(std::min_element(reduced, reduced + size) - reduced);
            value += double(reduced[variable.chosen]);
            for (std::size_t r = 0; r < variable.rows.size(); ++r)
                rows_[variable.rows[r]].broken -= double(variable.credits[r * size + variable.chosen]);
            work_ += std::int64_t((variable.rows.size() + 2) * size) / 8;
        }
        return value;
    }

    // What the new minimisers are to have of the point: what makes it break the cuts least, within limits.
    double share_of_new() const {
        double square = 0, product = 0;
        for (const Row& row : rows_) {
            const double d = row.broken - row.missing;
            square += d * d;
            product -= row.missing * d;
        }
        return square > 0 ? std::clamp(product / square, largest_share_ / 10, largest_share_) : largest_share_;
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
        if (centre - best_ < 0.01 * (target_ - best_)) largest_share_ = std::max(largest_share_ * 0.9, 0.01);
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
        const auto most = std::size_t(graph_.n);
        std::vector<Cut<W>> cuts = separate<W>(graph_.n, point, 1, least_violation, most);
        if (cuts.size() < most / 4 || pairs_are_due())
            for (const Cut<W>& cut : separate<W>(graph_.n, point, 2, least_violation, most)) cuts.push_back(cut);
        work_ += std::int64_t(point.size()) * graph_.n * 20;
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
            const auto y = std::int64_t(std::floor(row.safe * quanta_per_nat));
            if (y > 0) clusters.push_back({row.set, row.k, y});
        }
        return clusters;
    }

    const ParentGraphView<W>& graph_;
    const AscentOptions& options_;
    Watch& watch_;
    std::vector<Variable> variables_;
    std::vector<Row> rows_;
    std::vector<std::pair<double, std::int64_t>> priced_;
    std::int64_t base_ = 0, work_ = 0;  // the bound without weights
    double target_ = 0, best_ = 0;      // nats above it
    bool large_sets_ = false;           // whether some set has more than two members
    double looked_at_ = -1e300;         // the bound when pairs were last thought of
    double factor_ = 0.05, largest_share_ = 0.1;
    int round_ = 0;
};

template <int W>
bool too_heavy(const std::vector<Cluster<W>>& clusters) {
    double total = 0;
    for (const Cluster<W>& c : clusters) total += double(c.y) * c.set.size();
    return total >= double(largest_total);
}

}  // namespace

template <int W>
AscentResult<W> volume_ascent(const ParentGraphView<W>& graph, std::vector<Cluster<W>> start,
                              const AscentOptions& options, Watch& watch) {
    AscentResult<W> result{std::move(start), 0, 0};
    result.bound = reduced_costs(graph, result.clusters).bound;
    const std::uint64_t bytes = bytes_each * std::uint64_t(graph.n);
    const bool empty = std::adjacent_find(graph.offsets, graph.offsets + graph.n + 1) != graph.offsets + graph.n + 1;
    if (empty || result.bound >= options.target || !watch.try_reserve(bytes)) return result;
    Volume<W> volume(graph, result.clusters, options, watch);
    std::vector<Cluster<W>> found = volume.run();
    watch.release(bytes);
    result.work = volume.work();
    if (too_heavy(found)) return result;
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
