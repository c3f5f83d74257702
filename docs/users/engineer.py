"""Structure learning as a step of a scikit-learn pipeline: measured values in, a model and decisions out."""

from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer

from sabna import ExactBayesianNetwork, ExactBayesianNetworkClassifier

X, y = load_wine(return_X_y=True, as_frame=True)
columns = ["alcohol", "malic_acid", "ash", "magnesium", "flavanoids", "hue", "proline"]

pipeline = make_pipeline(
    KBinsDiscretizer(n_bins=3, encode="ordinal", strategy="quantile", quantile_method="linear").set_output(
        transform="pandas"
    ),
    ExactBayesianNetwork(scoring_method="bic", max_parents=3, time_limit=60),
)
pipeline.fit(X[columns].assign(cultivar=y))

model = pipeline[-1]
print("optimal:", model.is_optimal_, "score:", round(model.score_, 3))
for parent, child in model.network_.edges:
    print(f"{parent} -> {child}")

# The same columns as a classifier: which cultivar is a wine of?
classifier = ExactBayesianNetworkClassifier(max_parents=3, time_limit=60)
print("accuracy held out:", round(cross_val_score(classifier, X[columns], y, cv=3).mean(), 3))
classifier.fit(X[columns], y)
print("the cultivar depends on", ", ".join(classifier.network_.markov_blanket(classifier.target_)))
print("decision for the first wine:", classifier.predict(X[columns].head(1))[0])
