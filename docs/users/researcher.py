"""Compare scores on rows held out, choose one, say how sure its edges are, and draw what the choice changed."""

import pandas
from sklearn.model_selection import cross_val_score

import sabna
from sabna.examples import example_path

table = pandas.read_csv(example_path("asia")).head(800)

found = {}
for score in ("bic", "aic", "bdeu"):
    held_out = cross_val_score(sabna.ExactBayesianNetwork(score), table, cv=3).mean()
    result = sabna.learn(table, score)
    found[score] = (held_out, result)
    print(f"{score}: {held_out:.4f} nats a row held out, {len(result.network.edges)} edges, {result.status}")

chosen = max(found, key=lambda score: found[score][0])
result, other = found[chosen][1], found["aic" if chosen != "aic" else "bic"][1]
print("chosen:", chosen, "| distance to the other network:", result.network.shd(other.network))

confidence = sabna.bootstrap(table, 20, chosen)
for (one, two), share in list(confidence.links.items())[:5]:
    print(f"{one} - {two}: joined in {share:.0%} of the resamples")

result.save("network.pdf")
result.plot_comparison(other).figure.savefig("comparison.pdf", bbox_inches="tight")
confidence.plot().figure.savefig("confidence.pdf")
