"""bcg against the R package deal (Bøttcher and Dethlefsen), where R and deal are installed: every family of its rats.

deal's own prior is divided among the configurations of the discrete parents; bcg has the same prior in each. So deal
is given the prior of bcg, in every configuration, and adds up predictive densities row by row (`postcc`; `udisclik` for
discrete variables).
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from sabna.base.cost import QUANTA_PER_NAT
from sabna.parents.families import family_costs
from sabna.table.mixed import MixedTable, read_mixed
from tests.test_mixed_scores import families, mixed_table

WITH_DEAL = """
suppressMessages(library(deal))
argv <- commandArgs(TRUE)
frame <- if (argv[1] == "rats") { data(rats); rats } else read.csv(argv[1], stringsAsFactors = TRUE)
if (argv[1] == "rats") write.csv(frame, argv[2], row.names = FALSE, quote = FALSE)
size <- as.numeric(argv[3]); mu <- as.numeric(argv[4]); w <- as.numeric(argv[5])
discrete <- sapply(frame, is.factor)
count <- sum(!discrete)
t <- mu * (w - count - 1) / (mu + 1)
loglik <- function(child, parents) {
  if (discrete[child]) {
    idx <- sort(c(child, parents))
    counts <- as.array(table(frame[, idx]))
    prior <- counts * 0 + size / length(counts)
    node <- list(idx = child, parents = parents,
                 condprior = list(list(alpha = prior)), condposterior = list(list(alpha = prior + counts)))
    return(deal:::udisclik(node, NULL, frame))
  }
  numbers <- parents[!discrete[parents]]; categories <- parents[discrete[parents]]
  cells <- if (length(categories)) interaction(frame[, categories], drop = TRUE) else factor(rep(1, nrow(frame)))
  centred <- function(v) frame[, v] - mean(frame[, v])
  rest <- t * vapply(numbers, function(v) var(frame[, v]), 0)
  tau <- diag(c(mu, rest), nrow = length(numbers) + 1)
  total <- 0
  for (cell in levels(cells)) {
    rows <- which(cells == cell)
    z <- matrix(1, length(rows), length(numbers) + 1)
    for (k in seq_along(numbers)) z[, k + 1] <- centred(numbers[k])[rows]
    found <- deal:::postcc(rep(0, ncol(z)), tau, w - count + length(numbers) + 1, t * var(frame[, child]),
                           centred(child)[rows], z)
    total <- total + found$loglik
  }
  total
}
for (line in readLines(file("stdin"))) {
  family <- as.integer(strsplit(line, " ")[[1]]) + 1
  cat(sprintf("%.15g\\n", loglik(family[1], family[-1])))
}
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed")
    if subprocess.run(["Rscript", "-e", "library(deal)"], capture_output=True).returncode:
        pytest.skip("the R package deal is not installed")
    path = tmp_path_factory.mktemp("deal") / "families.R"
    path.write_text(WITH_DEAL)
    return path


def compare(script: Path, source: str, prior: tuple[float, float, float], table: MixedTable | None = None) -> int:
    """All families of the table by both; how many there were."""
    rats = script.parent / "rats.csv"
    command = ["Rscript", str(script), source, str(rats), *map(str, prior)]
    if table is None:
        subprocess.run(command, input="", text=True, check=True)
        table = read_mixed(rats)
    asked = families(table)
    lines = "\n".join(" ".join(map(str, (child, *parents))) for child, parents in asked)
    told = subprocess.run(command, input=lines + "\n", text=True, check=True, capture_output=True).stdout
    theirs = [-float(line) for line in told.split()]
    names = ("equivalent_sample_size", "alpha_mu", "alpha_w")
    ours = family_costs(table, asked, "bcg", **dict(zip(names, prior, strict=True)))
    assert (ours / QUANTA_PER_NAT).tolist() == pytest.approx(theirs, rel=1e-9, abs=1e-7)
    return len(asked)


def test_rats_under_two_priors(script: Path) -> None:
    assert compare(script, "rats", (1.0, 1.0, 4.0)) == 20
    assert compare(script, "rats", (12.0, 0.3, 7.5)) == 20


@pytest.mark.parametrize("seed", range(3))
def test_random_tables(script: Path, seed: int) -> None:
    table = mixed_table(seed, n=6, rows=60)
    path = script.parent / f"random{seed}.csv"
    cells = [
        [states[int(cell)] for cell in column] if states is not None else [repr(float(cell)) for cell in column]
        for column, states in zip(table.columns, table.states, strict=True)
    ]
    path.write_text("\n".join(map(",".join, [table.names, *zip(*cells, strict=True)])) + "\n")
    assert compare(script, str(path), (2.0, 0.7, 9.5), table) == 108
