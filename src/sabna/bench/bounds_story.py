"""What each idea of docs/bounds.md brings on the paper's seven data sets: nodes and seconds, as CSV and SVG.

    python -m sabna.bench.bounds_story --data DIR --graphs DIR [--time-limit 60] [--memory-limit 4GB]

--data names the folder of the paper's data sets; parent graphs are built once, into --graphs. Every run is a process of
its own on one thread. A run that meets a cap is drawn hollow, at the nodes it had stored by then.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

from sabna.bench.paper import DATA_SETS, run_command

STEPS = (
    ("path extension alone", ("--strategy", "astar", "--heuristic", "simple", "--no-upper-bound")),
    ("+ pattern database", ("--strategy", "astar", "--heuristic", "pattern")),
    ("+ cuts", ("--strategy", "astar", "--heuristic", "cuts", "--scc-branching", "--components")),
    ("+ fixing (auto)", ("--strategy", "auto")),
)


def measure(arguments: argparse.Namespace) -> list[dict[str, object]]:
    """All steps on all data sets."""
    rows: list[dict[str, object]] = []
    arguments.graphs.mkdir(parents=True, exist_ok=True)
    caps = ["--time-limit", str(arguments.time_limit), "--memory-limit", arguments.memory_limit, "--jobs", "1"]
    for data in DATA_SETS:
        graph = arguments.graphs / f"{data.name}.pg"
        if not graph.exists():
            run_command(["score", str(arguments.data / data.file), "-o", str(graph)], ok=(0,))
        for step, options in STEPS:
            found, cpu = run_command(["search", str(graph), *options, *caps])
            search = found["search"]
            rows.append(
                {
                    "data": data.name,
                    "step": step,
                    "status": found["status"],
                    "expanded": search["expanded"],
                    "stored": search["stored"],
                    "cpu_seconds": round(search.get("cpu_seconds", cpu), 3),
                    "megabytes": round(found["peak_memory_bytes"] / 1e6),
                    "gap": found["gap"],
                }
            )
            print(rows[-1], flush=True)
    return rows


def draw(rows: list[dict[str, object]], target: Path) -> None:
    """Two panels on logarithmic scales, one line per data set."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "sabna"
    figure, panels = plt.subplots(1, 2, figsize=(11, 4.2))
    for panel, key, label in zip(panels, ("stored", "cpu_seconds"), ("nodes stored", "CPU seconds"), strict=True):
        for name in dict.fromkeys(row["data"] for row in rows):
            line = [row for row in rows if row["data"] == name]
            values = [max(float(str(row[key])), 1.0 if key == "stored" else 0.01) for row in line]
            (drawn,) = panel.plot(range(len(line)), values, label=str(name), linewidth=1.5)
            for x, (row, y) in enumerate(zip(line, values, strict=True)):
                full = row["status"] == "optimal"
                panel.plot([x], [y], "o", color=drawn.get_color(), fillstyle="full" if full else "none")
        panel.set_yscale("log")
        panel.set_xticks(range(len(STEPS)), [step for step, _ in STEPS], fontsize=8)
        panel.set_ylabel(label)
        panel.grid(axis="y", alpha=0.3)
    panels[1].legend(fontsize=8)
    figure.suptitle("The paper's seven data sets; hollow: stopped at a cap")
    figure.tight_layout()
    figure.savefig(target, metadata={"Date": None})


def main() -> None:
    """Measure and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--graphs", type=Path, default=Path("build/bench-graphs"))
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--memory-limit", default="4GB")
    parser.add_argument("--csv", type=Path, default=Path("docs/bounds.csv"))
    parser.add_argument("--svg", type=Path, default=Path("docs/bounds.svg"))
    parser.add_argument("--draw-only", action="store_true", help="draw from the CSV file")
    arguments = parser.parse_args()
    if arguments.draw_only:
        with arguments.csv.open(newline="") as file:
            rows: list[dict[str, object]] = [dict(row) for row in csv.DictReader(file)]
    else:
        rows = measure(arguments)
        with arguments.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    draw(rows, arguments.svg)


if __name__ == "__main__":
    main()
