#include "varset.h"

#include <random>
#include <set>

#include "testing/harness.h"

using namespace sabna;

namespace {

template <int W>
void agrees_with_std_set() {
    std::mt19937 random(W);
    for (int round = 0; round < 200; ++round) {
        VarSet<W> a, b;
        std::set<int> sa, sb;
        for (int k = 0; k < 20; ++k) {
            const int v = int(random() % (64 * W)), u = int(random() % (64 * W));
            a.insert(v), sa.insert(v), b.insert(u), sb.insert(u);
        }
        CHECK_EQ(a.size(), int(sa.size()));
        CHECK_EQ(a.lowest(), *sa.begin());
        CHECK_EQ(a.highest(), *sa.rbegin());
        std::vector<int> visited;
        a.for_each([&](int v) { visited.push_back(v); });
        CHECK(visited == std::vector<int>(sa.begin(), sa.end()));
        std::set<int> both, either = sa, only_a;
        either.insert(sb.begin(), sb.end());
        for (int v : sa) (sb.count(v) ? both : only_a).insert(v);
        CHECK_EQ((a & b).size(), int(both.size()));
        CHECK_EQ(a.size_within(b), int(both.size()));
        CHECK_EQ((a | b).size(), int(either.size()));
        CHECK_EQ((a - b).size(), int(only_a.size()));
        CHECK((a & b).subset_of(a) && a.subset_of(a | b));
        CHECK_EQ(a.subset_of(b), only_a.empty());
        CHECK_EQ(a.intersects(b), !both.empty());
        CHECK(a.without(a.lowest()) < a);
        CHECK(a.with(*sa.begin()) == a);
    }
}

}  // namespace

TEST(varset_agrees_with_std_set) {
    agrees_with_std_set<1>();
    agrees_with_std_set<2>();
    agrees_with_std_set<4>();
    agrees_with_std_set<32>();
}

TEST(varset_edges) {
    CHECK(VarSet<2>{}.empty());
    CHECK_EQ(VarSet<2>{}.lowest(), -1);
    CHECK_EQ(VarSet<2>{}.highest(), -1);
    CHECK_EQ(VarSet<1>::first(64).size(), 64);
    CHECK_EQ(VarSet<2>::first(64).size(), 64);
    CHECK_EQ(VarSet<2>::first(65).highest(), 64);
    CHECK_EQ(VarSet<1>::first(0).size(), 0);
    CHECK_EQ(words_for(64), 1);
    CHECK_EQ(words_for(65), 2);
    CHECK_EQ(words_for(129), 4);
    CHECK_EQ(words_for(256), 4);
    CHECK_EQ(words_for(257), 32);
    CHECK_EQ(words_for(513), 32);
    CHECK_EQ(with_words(2048, []<int W>() { return W; }), 32);
    CHECK_EQ(with_words(200, []<int W>() { return W; }), 4);
}
