// The table of scores. Adding one: a file with a `make_` function, and a line here and in sabna/scores/registry.py.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "scores/score.h"

namespace sabna {

std::unique_ptr<Score> make_bic(std::int64_t rows, double);
std::unique_ptr<Score> make_aic(std::int64_t rows, double);
std::unique_ptr<Score> make_bdeu(std::int64_t rows, double sample_size);
std::unique_ptr<Score> make_k2(std::int64_t rows, double);
std::unique_ptr<Score> make_bds(std::int64_t rows, double sample_size);
std::unique_ptr<Score> make_fnml(std::int64_t rows, double);
std::unique_ptr<Score> make_qnml(std::int64_t rows, double);

namespace {

struct Entry {
    std::string_view id;
    std::unique_ptr<Score> (*make)(std::int64_t rows, double parameter);
};
constexpr Entry registry[] = {{"bic", make_bic}, {"aic", make_aic},   {"bdeu", make_bdeu}, {"k2", make_k2},
                              {"bds", make_bds}, {"fnml", make_fnml}, {"qnml", make_qnml}};

}  // namespace

std::unique_ptr<Score> make_score(std::string_view id, std::int64_t rows, double parameter) {
    for (const Entry& entry : registry)
        if (entry.id == id) return entry.make(rows, parameter);
    throw std::invalid_argument("unknown score: " + std::string(id));
}

Quanta penalty(Quanta price, long double q, std::int64_t r) {
    if (price == 0 || r <= 1) return 0;
    const long double product = (long double)price * q * (long double)(r - 1);
    if (product >= (long double)saturated) return saturated;
    return price * Quanta(q) * (r - 1);  // exact: every factor is below 2^60
}

}  // namespace sabna
