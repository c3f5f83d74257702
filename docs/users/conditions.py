"""The nine conditions of Sachs et al. (2005): what interventions add, against the network the field agrees on.

python conditions.py sachs-conditions.csv
"""

import sys

import pandas

import sabna

SET = {"3": ["Akt"], "4": ["PKC"], "5": ["PIP2"], "6": ["Mek"], "7": ["Akt"], "8": ["PKC"], "9": ["PKA"]}
CONSENSUS = {
    *[("PKC", child) for child in ("PKA", "Jnk", "P38", "Mek", "Raf")],
    *[("PKA", child) for child in ("Akt", "Erk", "Jnk", "P38", "Mek", "Raf")],
    *[("Raf", "Mek"), ("Mek", "Erk"), ("Erk", "Akt"), ("Plcg", "PIP2"), ("Plcg", "PIP3"), ("PIP3", "PIP2")],
}

cells = pandas.read_csv(sys.argv[1])
untouched = cells[cells["condition"].isin([1, 2])]
runs = {
    "all rows, interventions told": (cells, {"interventions": {"condition": SET}}),
    "all rows, interventions ignored": (cells.drop(columns="condition"), {}),
    "conditions 1 and 2 only": (untouched.drop(columns="condition"), {}),
}
for name, (rows, options) in runs.items():
    result = sabna.learn(rows, "bdeu", equivalent_sample_size=10, discretize="quantile:3", **options)
    found = result.cpdag()
    joined = [edge for edge in result.network.edges if edge in CONSENSUS or edge[::-1] in CONSENSUS]
    right = sum(edge in found.compelled and edge in CONSENSUS for edge in joined)
    wrong = sum(edge in found.compelled and edge not in CONSENSUS for edge in joined)
    status = "proven optimal" if result.is_optimal else "not proven"
    print(f"| {name} | {status} | {len(result.network.edges)} | {len(joined)} | {right} | {wrong} | "
          f"{len(joined) - right - wrong} |")  # fmt: skip
