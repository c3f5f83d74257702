"""The paper's four tables as text (Markdown), and one picture of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sabna.base.errors import UsageError
from sabna.bench.paper import DataSet, Measurement


def duration(seconds: float) -> str:
    """As the paper writes it.

    >>> duration(148.2), duration(13.04), duration(5760), duration(0.031)
    ('2m28s', '13.0s', '1h36m', '0.03s')
    """
    if seconds >= 3600:
        return f"{int(seconds // 3600)}h{int(seconds % 3600 // 60)}m"
    if seconds >= 60:
        return f"{int(seconds // 60)}m{int(seconds % 60)}s"
    return f"{seconds:.1f}s" if seconds >= 1 else f"{seconds:.2f}s"


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, its columns aligned.

    >>> print(markdown(["a", "b"], [["1", "22"]]))
    | a | b  |
    |---|----|
    | 1 | 22 |
    """
    widths = [max(len(row[k]) for row in [header, *rows]) for k in range(len(header))]
    lines = [
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |" for row in [header, *rows]
    ]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


def table_data(scored: dict[str, dict[str, Any]], data_sets: Sequence[DataSet]) -> str:
    """Table I: the data and the sizes of the parent graphs."""
    rows = []
    for data in data_sets:
        graph = scored.get(data.name)
        if graph is None:
            rows.append([data.name, str(data.n), f"{data.rows:,}", "error", f"{data.sets:,}", "--", "--"])
            continue
        sets = graph["parent_graph"]["sets"]
        reduction = data.n * 2 ** (data.n - 1) / sets
        rows.append(
            [
                data.name,
                str(graph["n"]),
                f"{graph['rows']:,}",
                f"{sets:,}",
                f"{data.sets:,}",
                f"{reduction:.1e}",
                f"{graph['parent_graph']['seconds']:.2f}s",
            ]
        )
    return markdown(["Dataset", "n", "m", "PG size", "paper", "reduction", "built in"], rows)


def table_runs(
    measurements: Sequence[Measurement], cell: Callable[[Measurement], str], paper: Callable[[DataSet, int], str]
) -> str:
    """Tables II to IV: one column per method, with the paper's figure behind it where it has one."""
    methods = list(dict.fromkeys(run.method for run in measurements))
    header = ["Dataset"]
    for method in methods:
        header += [method.name] if method.paper is None else [method.name, "paper"]
    rows = []
    for data in dict.fromkeys(run.data for run in measurements):
        row = [data.name]
        for method in methods:
            run = next(run for run in measurements if run.data == data and run.method == method)
            row += [cell(run)] if method.paper is None else [cell(run), paper(data, method.paper)]
        rows.append(row)
    return markdown(header, rows)


def _number(value: float | None) -> str:
    return "--" if value is None else f"{value:,.2f}" if value >= 0.01 else f"{value:g}"


def tables(scored: dict[str, dict[str, Any]], measurements: Sequence[Measurement]) -> str:
    """All four."""
    data_sets = list(dict.fromkeys(run.data for run in measurements))
    parts = [
        ("Table I: data and parent graphs", table_data(scored, data_sets)),
        (
            "Table II: run time of the search",
            table_runs(measurements, lambda r: r.mark or duration(r.seconds), lambda d, k: d.runtime[k]),
        ),
        (
            "Table III: nodes stored, in millions",
            table_runs(
                measurements,
                lambda r: r.mark if r.failed else _number(r.stored / 1e6) + (f" ({r.mark})" if r.mark else ""),
                lambda d, k: _number(d.nodes[k]),
            ),
        ),
        (
            "Table IV: peak memory of the process, in GB",
            table_runs(
                measurements,
                lambda r: r.mark if r.failed else _number(r.peak_bytes / 1e9) + (f" ({r.mark})" if r.mark else ""),
                lambda d, k: _number(d.memory[k]),
            ),
        ),
    ]
    return "\n\n".join(f"{title}\n\n{text}" for title, text in parts)


def plot(path: Path, measurements: Sequence[Measurement]) -> None:
    """Run time, nodes and memory of every method, logarithmic; runs that met a cap are hatched."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        raise UsageError("--plot needs matplotlib: pip install 'sabna[plot]'") from None
    if path.suffix.lower() not in (".png", ".svg"):
        raise UsageError(f"{path}: write a .png or .svg file")
    data_sets = list(dict.fromkeys(run.data.name for run in measurements))
    methods = list(dict.fromkeys(run.method.name for run in measurements))
    panels: tuple[tuple[str, Callable[[Measurement], float]], ...] = (
        ("run time of the search (s)", lambda run: max(run.seconds, 1e-3)),
        ("nodes stored", lambda run: max(run.stored, 1)),
        ("peak memory (GB)", lambda run: run.peak_bytes / 1e9),
    )
    figure, axes = pyplot.subplots(len(panels), 1, figsize=(9, 9), sharex=True, layout="constrained")
    width = 0.8 / len(methods)
    for axis, (title, value) in zip(axes, panels, strict=True):
        for k, method in enumerate(methods):
            runs = [run for run in measurements if run.method.name == method and not run.failed]
            places = [data_sets.index(run.data.name) + (k - (len(methods) - 1) / 2) * width for run in runs]
            bars = axis.bar(places, [value(run) for run in runs], width, label=method)
            for bar, run in zip(bars, runs, strict=True):
                bar.set_hatch("//" if run.mark else "")
        axis.set_yscale("log")
        axis.set_ylabel(title)
    axes[0].legend(ncols=len(methods), fontsize="small", title="hatched: met the cap on time or memory")
    axes[-1].set_xticks(range(len(data_sets)), data_sets)
    figure.savefig(path)
    pyplot.close(figure)
