// How fast is the builder? Usage: build_perf SCORE MAX_PARENTS THREADS FILE.csv...
// Goal, on one core of 2020s server hardware: autos 0.05 s, soybean 0.3 s, alarm-binary 6 s (see docs/benchmarks-scoring.md).
// Build: g++ -std=c++20 -O3 -march=x86-64-v3 -Icore core/parents/build.perf.cc $(all core/*.cc but tests) -pthread
#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

#include "parents/build.h"

using namespace sabna;

int main(int argc, char** argv) {
    if (argc < 5) return 2;
    for (int f = 4; f < argc; ++f) {
        std::ifstream file(argv[f]);
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
        std::vector<std::uint16_t> codes;
        std::vector<std::int64_t> arities;
        for (std::size_t v = 0; v < columns.size(); ++v) {
            codes.insert(codes.end(), columns[v].begin(), columns[v].end());
            arities.push_back(std::int64_t(states[v].size()));
        }
        const auto start = std::chrono::steady_clock::now();
        const DistinctRows table = merge_rows(codes, arities, std::int64_t(columns[0].size()));
        with_words(table.n, [&]<int W>() {
            const auto score = make_score(argv[1], table.rows, 1);
            const auto candidates =
                Candidates<W>::all(table, *score, std::vector<std::int64_t>(table.n, std::stoi(argv[2])));
            Watch watch;
            const auto result = build_parent_graph<W>(table, *score, candidates, std::stoi(argv[3]), watch);
            const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
            std::uint64_t check = 0;
            for (std::size_t k = 0; k < result.graph.costs.size(); ++k)
                check = (check ^ std::uint64_t(result.graph.costs[k].quanta) ^ result.graph.sets[k].hash()) *
                        0x9E3779B97F4A7C15ull;
            std::cout << argv[f] << ": n " << table.n << ", rows " << table.rows << ", distinct " << table.distinct()
                      << ", sets " << result.graph.costs.size() << ", counted " << result.counted << ", evaluated "
                      << result.evaluated << ", seconds " << seconds.count() << ", check " << std::hex << check
                      << std::dec << std::endl;
        });
    }
}
