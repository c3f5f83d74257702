// How fast is the builder? Usage: build_perf SCORE MAX_PARENTS THREADS FILE.csv...; without arguments, a random table.
// Goal, on one core of 2020s server hardware: autos 0.05 s, soybean 0.3 s, alarm-binary 6 s (see docs/benchmarks-scoring.md).
#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>

#include "parents/build.h"

using namespace sabna;

namespace {

struct Coded {
    std::vector<std::uint16_t> codes;
    std::vector<std::int64_t> arities;
    std::int64_t rows = 0;
};

Coded read(const char* path) {
    std::ifstream file(path);
    std::string line, cell;
    std::vector<std::map<std::string, std::uint16_t>> states;
    std::vector<std::vector<std::uint16_t>> columns;
    for (bool header = true; std::getline(file, line); header = false) {
        std::stringstream cells(line);
        for (std::size_t v = 0; std::getline(cells, cell, ','); ++v) {
            if (header) states.emplace_back(), columns.emplace_back();
            else columns[v].push_back(states[v].emplace(cell, std::uint16_t(states[v].size())).first->second);
        }
    }
    Coded table;
    for (std::size_t v = 0; v < columns.size(); ++v) {
        table.codes.insert(table.codes.end(), columns[v].begin(), columns[v].end());
        table.arities.push_back(std::int64_t(states[v].size()));
    }
    table.rows = std::int64_t(columns.at(0).size());
    return table;
}

// Thirty columns of three states; each repeats one before it in three cells of four.
Coded random_table() {
    constexpr int n = 30, rows = 400;
    std::mt19937 random(1);
    Coded table{{}, std::vector<std::int64_t>(n, 3), rows};
    table.codes.resize(std::size_t(n) * rows);
    for (int v = 0; v < n; ++v) {
        const std::size_t from = v ? std::size_t(random() % unsigned(v)) * rows : 0;
        for (std::size_t r = 0; r < rows; ++r)
            table.codes[std::size_t(v) * rows + r] =
                v && random() % 4 ? table.codes[from + r] : std::uint16_t(random() % 3);
    }
    return table;
}

void measure(const char* name, const Coded& coded, const char* score_name, int max_parents, int threads) {
    const auto start = std::chrono::steady_clock::now();
    const DistinctRows table = merge_rows(coded.codes, coded.arities, coded.rows);
    with_words(table.n, [&]<int W>() {
        const auto score = make_score(score_name, table.rows, 1);
        const auto candidates = Candidates<W>::all(table, *score, std::vector<std::int64_t>(table.n, max_parents));
        Watch watch;
        const auto result = build_parent_graph<W>(table, *score, candidates, threads, watch);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        std::uint64_t check = 0;
        for (std::size_t k = 0; k < result.graph.costs.size(); ++k)
            check = (check ^ std::uint64_t(result.graph.costs[k].quanta) ^ result.graph.sets[k].hash()) *
                    0x9E3779B97F4A7C15ull;
        std::cout << name << ": n " << table.n << ", rows " << table.rows << ", distinct " << table.distinct()
                  << ", sets " << result.graph.costs.size() << ", counted " << result.counted << ", evaluated "
                  << result.evaluated << ", seconds " << seconds.count() << ", check " << std::hex << check << std::dec
                  << std::endl;
    });
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 1) return measure("random", random_table(), "bic", 99, 1), 0;
    if (argc < 5) return std::cerr << "usage: build_perf [SCORE MAX_PARENTS THREADS FILE.csv...]\n", 2;
    for (int f = 4; f < argc; ++f) measure(argv[f], read(argv[f]), argv[1], std::stoi(argv[2]), std::stoi(argv[3]));
}
